/**
 * The documents show what is there: a fence that names a file holds that file, and one that names a program holds what it
 * printed. `vitest run -u` writes them again.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root, run } from "./exec.ts"

const documents = ["README.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md", { cwd: root })]

/** ```` ```ts file=PATH ```` and ```` ```text output=PROGRAM ```` with what stands in them. */
const fences = /^```(\w+) (file|output)=(.+)\n(?:[^]*?\n)??```$/gm

const contentOf = async (kind: string, what: string): Promise<string> => {
  if (kind === "file") return readFileSync(join(root, what), "utf8")
  const command = what.match(/^levain (\w+)(?: "(.*)")?$/)
  const { code, err, out } = command === null
    ? await run(what)
    : await run("packages/cli/src/bin.ts", command.slice(1).flatMap((word) => word ?? []))
  expect([code, err]).toEqual([0, ""])
  return out
}

describe.each(documents)("%s", (document) => {
  const text = readFileSync(join(root, document), "utf8")

  it("shows the files and the output that its fences name", async () => {
    const found = [...text.matchAll(fences)]
    const shown = await Promise.all(
      found.map(([, lang = "", kind = "", what = ""]) =>
        contentOf(kind, what).then((content) => `\`\`\`${lang} ${kind}=${what}\n${content.trimEnd()}\n\`\`\``)
      )
    )
    const expected = found.reduce((whole, [old], i) => whole.replace(old, () => shown[i] ?? ""), text)
    await expect(expected).toMatchFileSnapshot(join(root, document))
  }, 60_000)

  it("has no TypeScript that is not a file's", () => {
    const plain = [...text.matchAll(/^```ts(.*)$/gm)].filter(([, rest]) => !rest?.startsWith(" file="))
    expect(plain.map(([line]) => line)).toEqual([])
  })

  it("links to files that are there", () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].flatMap(([, link]) => link ?? [])
    for (const link of links) expect(() => readFileSync(join(root, document, "..", link))).not.toThrow()
  })
})

it("every example is shown in a document, with what it prints", () => {
  const shown = documents.map((document) => readFileSync(join(root, document), "utf8")).join("\n")
  for (const example of globSync("examples/*.ts", { cwd: root })) {
    expect(shown).toContain(`file=${example}\n`)
    expect(shown).toContain(`output=${example}\n`)
  }
})
