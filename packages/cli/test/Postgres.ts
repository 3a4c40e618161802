/** A PostgreSQL of its own for a test file, from Debian's package, in a temporary folder and on a port that is free. */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Server {
  /** Without a database's name. */
  readonly url: string
  readonly makeDatabase: () => Promise<string>
  readonly stop: () => void
}

const installed = "/usr/lib/postgresql"

/** Nothing where it is not installed. */
export const start = async (): Promise<Server | undefined> => {
  const version = existsSync(installed) ? readdirSync(installed).toSorted().at(-1) : undefined
  if (version === undefined) return undefined
  const bin = join(installed, version, "bin")
  const folder = mkdtempSync(join(tmpdir(), "levain-postgres-"))
  const data = join(folder, "data")
  // It refuses to run as root; its package makes a user for it.
  const asUser = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : []
  if (asUser.length > 0) {
    chmodSync(folder, 0o755)
    execFileSync("chown", ["postgres", folder])
  }
  const run = (name: string, ...args: ReadonlyArray<string>) => {
    const [file = "", ...rest] = [...asUser, join(bin, name), ...args]
    execFileSync(file, rest, { stdio: "ignore", cwd: folder })
  }
  run("initdb", "-D", data, "-U", "levain", "--auth=trust", "-E", "UTF8", "--no-sync")
  const port = await freePort()
  const options = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
  run("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), "-o", options, "start")
  let made = 0
  return {
    url: `postgres://levain@127.0.0.1:${port}`,
    makeDatabase: async () => {
      made = made + 1
      const name = `test_${made}`
      await exec(join(bin, "psql"), [
        "-h",
        "127.0.0.1",
        "-p",
        String(port),
        "-U",
        "levain",
        "-d",
        "postgres",
        "-c",
        `CREATE DATABASE ${name}`
      ])
      return name
    },
    stop: () => {
      run("pg_ctl", "-D", data, "-m", "immediate", "stop")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

const exec = (file: string, args: ReadonlyArray<string>): Promise<void> =>
  new Promise((resolve, reject) => {
    spawn(file, args, { stdio: "ignore" }).on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}`)))
  })

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
