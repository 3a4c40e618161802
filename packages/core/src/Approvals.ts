/**
 * Who says yes or no to a call that waits for a person. The default is nobody: the run stops, keeps what waits, and goes on in whatever
 * process once the answers are there.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Approval from "./pure/Approval.ts"

/** A verdict and who gave it. */
export interface Said {
  readonly by: string
  readonly verdict: Approval.Verdict
}

export interface Approvals {
  /**
   * Asked about one call after the other, in the order the model asked for them. Undefined suspends the run, and so does whatever it fails
   * with or dies of: only a verdict is one. An interruption interrupts the run. `rootId` is the run that asks, for itself or for a child.
   */
  readonly ask: (pending: Approval.Pending, rootId: string) => Effect.Effect<Said | undefined, unknown>
}

export const Approvals = Context.Reference<Approvals>("@levain/core/Approvals", {
  defaultValue: () => ({ ask: () => Effect.undefined })
})

/** Asks this. */
export const layer = (ask: Approvals["ask"]): Layer.Layer<never> => Layer.succeed(Approvals, { ask })

/** Nobody answers while the run is live: the default. */
export const suspend: Layer.Layer<never> = layer(() => Effect.undefined)

/** Says yes to everything. */
export const allowAll: Layer.Layer<never> = layer(() =>
  Effect.succeed({ by: "allowAll", verdict: { _tag: "Approved" } })
)

/** Says no to everything. The model reads the reason. */
export const denyAll = (reason = "nothing that needs a person is allowed here."): Layer.Layer<never> =>
  layer(() => Effect.succeed({ by: "denyAll", verdict: { _tag: "Denied", reason } }))

/** The answer to one call, where there is one. Whatever goes wrong while somebody is asked is no answer. */
export const answerTo = (
  pending: Approval.Pending,
  rootId: string,
  { ask }: Approvals
): Effect.Effect<Approval.Answer | undefined> =>
  Effect.suspend(() => ask(pending, rootId)).pipe(
    Effect.flatMap((said) =>
      said === undefined || Approval.isFit(pending, said.verdict)
        ? Effect.succeed(said && Approval.answer(pending, said.by, said.verdict))
        : Effect.fail("a draft was changed to what is no text")
    ),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("whoever approves could not be asked, so the run waits", cause), undefined)
    )
  )
