/** `@levain/core/testing`: what tests of an agent are made of. */
export * as ScriptedModel from "./ScriptedModel.ts"
