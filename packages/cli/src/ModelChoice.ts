/** Which model answers: what flags and environment say, as a Layer. */
import { OfflineModel } from "@levain/bakery"
import { Model, ModelPolicy } from "@levain/core"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import type { AgentChoice } from "./AgentChoice.ts"
import { UsageError } from "./Ending.ts"

/** The flags as they were written. */
export interface Flags {
  readonly model: Option.Option<"offline" | "claude">
  readonly claudeModel: Option.Option<string>
  readonly effort: Option.Option<"low" | "medium" | "high" | "xhigh" | "max" | "default">
  readonly baseUrl: Option.Option<string>
}

export interface ModelChoice {
  readonly layer: Layer.Layer<Model.Model, UsageError, FileSystem.FileSystem | Path.Path>
  /** Says which model it is where nobody named one and it is not the free one. */
  readonly note: string | undefined
}

/** What a flag says; else the agent's own model, where it has one; else Claude where there is a key, and the offline model otherwise. */
export const choose = Effect.fnUntraced(function*(
  flags: Flags,
  own: AgentChoice["model"]
): Effect.fn.Return<ModelChoice, UsageError> {
  const named = Option.getOrUndefined(flags.model)
  if (named === undefined && typeof own === "object") {
    const idle = claudeFlag(flags)
    if (idle === undefined) return { layer: own, note: undefined }
    return yield* new UsageError({
      message: `${idle} is for Claude, and the agent has a model of its own: say --model claude.`
    })
  }
  if ((named ?? (yield* nameByKey)) === "claude") {
    const name = Option.getOrElse(flags.claudeModel, () => "").trim() || "Claude"
    const note = `${name} answers, since there is a key in ANTHROPIC_API_KEY; --model offline needs none.`
    return { layer: claude(flags), note: named === undefined ? note : undefined }
  }
  const idle = claudeFlag(flags)
  if (own !== "offline") return yield* new UsageError({ message: noModel })
  if (idle === undefined) return { layer: OfflineModel.layer, note: undefined }
  const why = named === undefined ? "there is no key in ANTHROPIC_API_KEY" : "the offline model takes none"
  return yield* new UsageError({ message: `${idle} is for Claude, and ${why}.` })
})

const noModel =
  "the agent has no model, and the offline one only knows the bakery: export one as model, or put a key for Claude in ANTHROPIC_API_KEY."

const nameByKey = Effect.option(Config.Redacted("ANTHROPIC_API_KEY")).pipe(
  Effect.map((key): "claude" | "offline" =>
    Option.exists(key, (secret) => Redacted.value(secret).trim() !== "") ? "claude" : "offline"
  )
)

const claudeFlag = ({ baseUrl, claudeModel, effort }: Flags): string | undefined => {
  if (Option.isSome(claudeModel)) return "--claude-model"
  if (Option.isSome(effort)) return "--effort"
  return Option.isSome(baseUrl) ? "--base-url" : undefined
}

/** Loaded only when it is asked for: start-up is a feature. */
const claude = ({ baseUrl, claudeModel, effort }: Flags): Layer.Layer<Model.Model, UsageError> =>
  Layer.unwrap(Effect.map(Effect.promise(() => import("@levain/claude")), ({ ClaudeModel }) =>
    ClaudeModel.layer({
      ...(Option.isSome(baseUrl) ? { baseUrl: baseUrl.value } : {}),
      ...(Option.isSome(claudeModel) ? { model: claudeModel.value } : {}),
      ...(Option.isSome(effort) ? { effort: effort.value } : {})
    }).pipe(
      ModelPolicy.retry(),
      Layer.catch(({ message }) => Layer.effect(Model.Model, Effect.fail(new UsageError({ message }))))
    )))
