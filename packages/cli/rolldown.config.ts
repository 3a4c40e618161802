/** The shipped command as one bundle, with what only few commands need in chunks of its own. */
import { defineConfig } from "rolldown"

export default defineConfig({
  input: "src/levain.ts",
  platform: "node",
  // What node-postgres loads only where it is installed.
  external: ["pg-native"],
  resolve: { conditionNames: ["@levain/source", "import", "node", "default"] },
  output: { dir: "bundle", format: "esm", minify: true, chunkFileNames: "[name]-[hash].js", cleanDir: true }
})
