/** The public names of `@levain/claude`. */
export * as ClaudeClient from "./ClaudeClient.ts"
export * as ClaudeModel from "./ClaudeModel.ts"
export * as Prices from "./pure/Prices.ts"
export * as Settings from "./pure/Settings.ts"
