/** Vitest reads this name by itself; the configuration is the workspace's. */
export { default } from "./vitest.workspace.ts"
