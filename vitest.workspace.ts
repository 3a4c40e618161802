/** How the tests run: one project a package, and one for what holds over all packages. */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** Imports of our packages resolve to their sources, so that no test needs a build. */
const conditions = ["@levain/source"]

const project = (name: string, folder: string) => ({
  root: fileURLToPath(new URL(folder, import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Some tests start processes, and machines are slow at times.
  test: { name, include: ["test/**/*.test.ts"], testTimeout: 60_000 }
})

export default defineConfig({
  test: {
    projects: [
      project("@levain/core", "packages/core"),
      project("@levain/claude", "packages/claude"),
      project("@levain/bakery", "packages/bakery"),
      project("@levain/cli", "packages/cli"),
      project("all packages", ".")
    ]
  }
})
