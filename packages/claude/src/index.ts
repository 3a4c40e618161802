/** The public names of `@levain/claude`, a module each. */
export * as Request from "./pure/Request.ts"
