#!/usr/bin/env node
/**
 * The shipped command. It starts fast: it is one bundle, and what Node compiled once it keeps for the next start. An agent of one's own
 * is run by the modules that the bundle was made of instead, as it must share Effect and Levain with what runs it.
 */
import { enableCompileCache } from "node:module"
import { namesFile } from "./pure/AgentFile.ts"

enableCompileCache()
await (namesFile(process.argv.slice(2)) ? import(new URL("../dist/bin.js", import.meta.url).href) : import("./bin.ts"))
