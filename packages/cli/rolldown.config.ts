/**
 * The shipped command as one bundle. Files cost time, so what help needs is one of them, what every run needs another; what only few
 * commands need is in chunks of its own.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "rolldown"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

interface Modules {
  readonly getModuleInfo: (id: string) => { readonly importedIds: ReadonlyArray<string> } | null
}

/** A module and all that it imports before it runs. */
const loadedWith = (path: string) => {
  const found = new Set<string>()
  const visit = (id: string, modules: Modules) => {
    if (found.has(id)) return
    found.add(id)
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) visit(imported, modules)
  }
  return (id: string, modules: Modules): boolean => {
    visit(here(path), modules)
    return found.has(id)
  }
}

const first = loadedWith("src/levain.ts")
const withHelp = loadedWith("src/bin.ts")
const withRuns = loadedWith("src/handlers/ask.ts")

export default defineConfig({
  input: "src/levain.ts",
  platform: "node",
  // What node-postgres loads only where it is installed.
  external: ["pg-native"],
  resolve: { conditionNames: ["@levain/source", "import", "node", "default"] },
  transform: { inject: { "Intl.Segmenter": [here("src/standins/Graphemes.ts"), "Segmenter"] } },
  plugins: [{
    name: "lazy-crypto",
    resolveId: (id, importer) =>
      id === "node:crypto" && importer?.includes("NodeFileSystem") === true ? here("src/standins/Crypto.ts") : null
  }],
  preserveEntrySignatures: "allow-extension",
  output: {
    dir: "bundle",
    format: "esm",
    minify: true,
    chunkFileNames: "[name]-[hash].js",
    cleanDir: true,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          debugName: "help and run",
          name: (id, modules) =>
            first(id, modules) ? null : withHelp(id, modules) ? "help" : withRuns(id, modules) ? "run" : null
        }
      ]
    }
  }
})
