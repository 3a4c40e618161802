/** All contenders: the two floors, Levain, and its peers. */
import type { Contender } from "../Work.ts"
import { bareEffect } from "./bareEffect.ts"
import { effectAi } from "./effectAi.ts"
import { levain } from "./levain.ts"
import { plain } from "./plain.ts"
import { vercel } from "./vercel.ts"

export const floors: ReadonlyArray<Contender> = [plain, bareEffect]
export const peers: ReadonlyArray<Contender> = [effectAi, vercel]
export const all: ReadonlyArray<Contender> = [...floors, levain, ...peers]
export { levain }
