/** What a run that was called by another one knows of that one. */
import * as Context from "effect/Context"
import type { Journal } from "./Journal.ts"
import type { Model } from "./Model.ts"
import type { Answer } from "./pure/Approval.ts"
import type { Share } from "./pure/Share.ts"
import type { Report } from "./RunLog.ts"

/** A run's place in the tree of runs that call each other. */
export interface Tree {
  /** How many runs stand above it. */
  readonly depth: number
  /** Where the runs below it are kept: in memory where nothing else keeps them, since a call may have to be taken up. */
  readonly journal: () => Journal
  /** Its model, for the runs below it that have none of their own. */
  readonly model: Model["Service"]
}

export interface ParentRun extends Tree {
  /** What it may spend at most, in all. */
  readonly share: Share
  /** What a person said of what it waited for. */
  readonly answers: ReadonlyArray<Answer>
  readonly report: Report
}

/** Nothing outside of a run, and for a tool that is no agent. */
export const ParentRun = Context.Reference<ParentRun | undefined>("@levain/core/ParentRun", {
  defaultValue: () => undefined
})

/** How many runs may stand above another: agents that call agents come to an end. */
export const MaxDepth = Context.Reference<number>("@levain/core/MaxDepth", { defaultValue: () => 3 })
