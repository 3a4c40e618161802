/** All contenders: the two floors, Levain, and its peers. */
import type { Contender } from "../Work.ts"
import { bareEffect } from "./bareEffect.ts"
import { effectAi } from "./effectAi.ts"
import { levain } from "./levain.ts"
import { plain } from "./plain.ts"
import { vercel } from "./vercel.ts"

/** The floors, and Levain. */
export const ours: ReadonlyArray<Contender> = [plain, bareEffect, levain]
export const all: ReadonlyArray<Contender> = [...ours, effectAi, vercel]
