/**
 * Completes package-lock.json with the packages of other platforms. npm leaves an optional package out of the lock file when the
 * registry that made it does not hold that package, and `npm ci` then refuses the lock file. An entry needs no more than
 * what its name says: where it does not fit it is never fetched.
 */
import { readFileSync, writeFileSync } from "node:fs"

interface Entry {
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: ReadonlyArray<string>
  readonly cpu?: ReadonlyArray<string>
  readonly libc?: ReadonlyArray<string>
  readonly optionalDependencies?: Record<string, string>
}

interface Lock {
  readonly packages: Record<string, Entry>
}

const lockFile = new URL("../package-lock.json", import.meta.url)

/** The words of a package's name that say where it fits. */
const os = ["linux", "darwin", "win32", "android", "freebsd"]
const cpu = ["x64", "arm64", "arm", "ia32", "ppc64", "riscv64", "loong64", "s390x"]
const libc = ["glibc", "musl"]

const fits = (name: string): Entry => {
  const words = name.split(/[-/]/).map((word) => word === "windows" ? "win32" : word)
  const of = (known: ReadonlyArray<string>) => words.filter((word) => known.includes(word))
  return {
    os: of(os),
    ...(of(cpu).length === 0 ? {} : { cpu: of(cpu) }),
    ...(of(libc).length === 0 ? {} : { libc: of(libc) })
  }
}

/** Optional packages that an entry of the lock file wants and the lock file does not name, with the version wanted. */
const missing = ({ packages }: Lock): ReadonlyArray<readonly [string, Entry]> =>
  Object.entries(packages).flatMap(([path, { dev, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, range]) =>
      places(path).some((place) => packages[`${place}node_modules/${name}`] !== undefined)
        ? []
        : [
          [
            `node_modules/${name}`,
            { version: range.replace(/^[^\d]+/, ""), ...fits(name), ...(dev === true ? { dev } : {}), optional: true }
          ] as const
        ]
    )
  )

/** The folders whose node_modules a package is looked up in, its own first. */
const places = (path: string): ReadonlyArray<string> => {
  const cut = path.lastIndexOf("/node_modules/")
  if (path === "") return [""]
  return [`${path}/`, ...(cut === -1 ? [""] : places(path.slice(0, cut)))]
}

const lock: Lock = JSON.parse(readFileSync(lockFile, "utf8"))
const added = missing(lock)
const unclear = added.filter(([, { os }]) => os?.length === 0).map(([path]) => path)
if (unclear.length > 0) throw new Error(`the names do not say where these packages fit: ${unclear.join(", ")}`)
const packages = Object.fromEntries(
  Object.entries({ ...lock.packages, ...Object.fromEntries(added) }).toSorted(([a], [b]) => a < b ? -1 : 1)
)
writeFileSync(lockFile, `${JSON.stringify({ ...lock, packages }, undefined, 2)}\n`)
console.log(`${added.length} packages of other platforms were added to package-lock.json.`)
