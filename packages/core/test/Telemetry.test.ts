import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { expect } from "vitest"
import { feature } from "../../../test/feature.ts"
import * as Agent from "../src/Agent.ts"
import * as Approvals from "../src/Approvals.ts"
import { Journal, makeMemory } from "../src/Journal.ts"
import { Model, ModelError } from "../src/Model.ts"
import * as ModelPolicy from "../src/ModelPolicy.ts"
import type { ModelReply } from "../src/pure/Reply.ts"
import { Fatal, NotFound } from "../src/pure/ToolFailure.ts"
import * as Telemetry from "../src/Telemetry.ts"
import * as ScriptedModel from "../src/testing/ScriptedModel.ts"
import * as Tool from "../src/Tool.ts"
import * as Toolset from "../src/Toolset.ts"
import { agent, echo, limited } from "./fixtures.ts"

const { answers, asks, call, fails, stops } = ScriptedModel

/** A tracer that keeps its spans. */
const collecting = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

const parentOf = (span: Tracer.NativeSpan, spans: ReadonlyArray<Tracer.NativeSpan>) =>
  Option.flatMap(span.parent, ({ spanId }) => Option.fromUndefinedOr(spans.find((one) => one.spanId === spanId)))

/** The spans as lines, each under its parent and two spaces further in. */
const treeOf = (spans: ReadonlyArray<Tracer.NativeSpan>): ReadonlyArray<string> => {
  const under = (parent: Tracer.NativeSpan | undefined, indent: string): ReadonlyArray<string> =>
    spans
      .filter((span) => Option.getOrUndefined(parentOf(span, spans)) === parent)
      .flatMap((span) => [`${indent}${span.name}`, ...under(span, `${indent}  `)])
  return under(undefined, "")
}

const attributesOf = (spans: ReadonlyArray<Tracer.NativeSpan>, name: string) =>
  Object.fromEntries(spans.find((span) => span.name === name)?.attributes ?? [])

/** The name of each span that ended in an error, with the error's type. */
const errorsOf = (spans: ReadonlyArray<Tracer.NativeSpan>) =>
  spans.flatMap(({ attributes, name, status }) =>
    status._tag === "Ended" && Exit.isFailure(status.exit) ? [[name, attributes.get("error.type")]] : []
  )

/** All that a span holds, as one text. */
const everything = (spans: ReadonlyArray<Tracer.NativeSpan>) =>
  spans.map(({ attributes, events, name, status }) =>
    [name, JSON.stringify([...attributes]), JSON.stringify(events.map(String)), String("exit" in status && status.exit)]
      .join(" ")
  ).join("\n")

/** Runs with a tracer, and gives its spans. */
const trace = Effect.fnUntraced(function*<A, E, R>(run: Effect.Effect<A, E, R>) {
  const { spans, tracer } = collecting()
  const exit = yield* Effect.exit(Effect.provideService(run, Tracer.Tracer, tracer))
  return { exit, spans }
})

/** Runs with a registry of its own, and gives its metrics, one line each. */
const measure = Effect.fnUntraced(function*<A, E, R>(run: Effect.Effect<A, E, R>) {
  return yield* Effect.andThen(
    Effect.exit(run),
    Effect.map(Metric.snapshot, (metrics) =>
      metrics.map(({ attributes = {}, id, state }) => {
        const { unit, ...labels } = attributes
        const values = Object.entries(labels).toSorted(([a], [b]) => a < b ? -1 : 1).map(([key, value]) =>
          `${key.replace(/^gen_ai\./, "")}=${value}`
        )
        const value = "count" in state && "sum" in state
          ? `${state.count}x ${state.sum}`
          : "count" in state && state.count
        return `${id} ${values.join(" ")}: ${value} ${unit}`
      }).toSorted())
  ).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
})

/** A model that says who it is, and plays a script. */
const named = (script: ReadonlyArray<ScriptedModel.ScriptedReply>) =>
  Layer.effect(
    Model,
    Effect.map(Model, (model): Model["Service"] => ({ ...model, info: { provider: "test", model: "small" } }))
  ).pipe(Layer.provide(ScriptedModel.layer(script)))

const usage = { input: 5, cacheWrite: 3, cacheRead: 2, output: 4, cost: 0.25 }

const withUsage = <R extends ModelReply | ScriptedModel.ScriptedCalls>(reply: R) => ({ ...reply, usage })

const missing = Tool.make("missing", {
  description: "Finds nothing.",
  input: Schema.Struct({}),
  run: () => Effect.fail(new NotFound({ message: "it is not there." }))
})

const broken = Tool.make("broken", {
  description: "Ends the run.",
  input: Schema.Struct({}),
  run: () => Effect.fail(new Fatal({ message: "the key was revoked." }))
})

feature(new URL("../features/telemetry.feature", import.meta.url), (scenario) => {
  scenario("A run is a tree of spans", () =>
    Effect.gen(function*() {
      const { spans } = yield* trace(Agent.run(agent, "Ask for help."))
      expect(treeOf(spans)).toEqual([
        "invoke_agent tester",
        "  turn 1",
        "    chat small",
        "    execute_tool echo",
        "    execute_tool helper",
        "      invoke_agent helper",
        "        turn 1",
        "          chat",
        "          execute_tool echo",
        "        turn 2",
        "          chat",
        "  turn 2",
        "    chat small"
      ])
      expect(spans.map(({ status }) => status._tag)).toEqual(spans.map(() => "Ended"))
    }).pipe(Effect.provide([
      Toolset.layer(
        echo,
        Agent.asTool(Agent.make("helper", { instructions: "Help." }), {
          description: "Helps.",
          tools: Toolset.layer(echo),
          model: ScriptedModel.layer([asks(1, call("echo", { text: "hi" })), answers(1, "Helped.")])
        })
      ),
      named([asks(1, call("echo", { text: "hi" }), call("helper", { task: "Help." })), answers(1, "Done.")])
    ])))

  scenario("Spans carry the conventions' names", () =>
    Effect.gen(function*() {
      const { spans } = yield* trace(Agent.run(agent, "Say hi.", { runId: "run" }))
      const common = {
        "gen_ai.agent.name": "tester",
        "gen_ai.conversation.id": "run",
        "gen_ai.provider.name": "test",
        "gen_ai.request.model": "small"
      }
      const once = {
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 4,
        "gen_ai.usage.cache_read.input_tokens": 2,
        "gen_ai.usage.cache_creation.input_tokens": 3,
        "levain.cost": 0.25
      }
      expect(attributesOf(spans, "invoke_agent tester")).toEqual({
        ...common,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 8,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.usage.cache_creation.input_tokens": 6,
        "levain.cost": 0.5,
        "levain.stop": "Answered"
      })
      expect(attributesOf(spans, "turn 1")).toEqual({ "levain.turn": 1 })
      expect(attributesOf(spans, "chat small")).toEqual({
        ...common,
        ...once,
        "gen_ai.operation.name": "chat",
        "gen_ai.response.model": "small-1",
        "gen_ai.response.finish_reasons": ["tool_call"]
      })
      expect(attributesOf(spans, "execute_tool echo")).toEqual({
        ...common,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "echo",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "c1"
      })
      expect(spans.map(({ kind }) => kind)).toEqual([
        "internal",
        "internal",
        "client",
        "internal",
        "internal",
        "client"
      ])
    }).pipe(Effect.provide([
      Toolset.layer(echo),
      named([
        { ...withUsage(asks(1, call("echo", { text: "hi" }, "c1"))), model: "small-1" },
        withUsage(answers(1, "Hi."))
      ])
    ])))

  scenario("What was said is in spans only where that is asked for", () =>
    Effect.gen(function*() {
      const play = Agent.run(
        Agent.make("tester", { instructions: "Keep secret-instruction." }),
        "Tell me secret-task."
      ).pipe(Effect.provide([
        Toolset.layer(echo, missing),
        ScriptedModel.layer([
          asks(1, call("echo", { text: "secret-input" }), call("missing", {}), call("secret-name", {})),
          answers(1, "Here is secret-answer.")
        ])
      ]))
      const { spans: silent } = yield* trace(play)
      expect(everything(silent)).not.toContain("secret")
      expect(everything(silent)).not.toContain("it is not there")

      const { spans } = yield* trace(Effect.provide(play, Telemetry.layer({ content: true })))
      const chats = spans.filter(({ name }) => name === "chat").map(({ attributes }) => attributes)
      const said = (turn: number, key: string): unknown => JSON.parse(String(chats[turn]?.get(key)))
      expect(said(0, "gen_ai.system_instructions")).toEqual([{ type: "text", content: "Keep secret-instruction." }])
      expect(said(0, "gen_ai.input.messages")).toEqual([
        { role: "user", parts: [{ type: "text", content: "Tell me secret-task." }] }
      ])
      expect(said(1, "gen_ai.input.messages")).toEqual([
        { role: "user", parts: [{ type: "text", content: "Tell me secret-task." }] },
        {
          role: "assistant",
          parts: [
            { type: "tool_call", id: "c1", name: "echo", arguments: { text: "secret-input" } },
            { type: "tool_call", id: "c2", name: "missing", arguments: {} },
            { type: "tool_call", id: "c3", name: "secret-name", arguments: {} }
          ]
        },
        {
          role: "tool",
          parts: [
            { type: "tool_call_response", id: "c1", result: "secret-input" },
            { type: "tool_call_response", id: "c2", result: "notFound: it is not there." },
            { type: "tool_call_response", id: "c3", result: expect.stringContaining("secret-name") }
          ]
        }
      ])
      expect(said(1, "gen_ai.output.messages")).toEqual([
        { role: "assistant", parts: [{ type: "text", content: "Here is secret-answer." }], finish_reason: "stop" }
      ])
      expect(attributesOf(spans, "execute_tool echo")).toMatchObject({
        "gen_ai.tool.call.arguments": "{\"text\":\"secret-input\"}",
        "gen_ai.tool.call.result": "secret-input"
      })
    }))

  scenario("Failures and stops are errors of their spans", () =>
    Effect.gen(function*() {
      const errors = (script: ReadonlyArray<ScriptedModel.ScriptedReply>, one = agent) =>
        Effect.map(
          trace(Effect.provide(Agent.run(one, "Go."), [Toolset.layer(echo, missing, broken), named(script)])),
          ({ spans }) => errorsOf(spans)
        )
      expect(yield* errors([asks(1, call("echo", { text: "hi" }))], limited({ maxTurns: 1 }))).toEqual([
        ["invoke_agent tester", "OutOfTurns"]
      ])
      expect(
        yield* errors([
          asks(1, call("missing", {}), call("nobody", {}), call("echo", { text: 1 })),
          answers(1, "Done.")
        ])
      ).toEqual([
        ["execute_tool missing", "notFound"],
        ["execute_tool _OTHER", "unknownTool"],
        ["execute_tool echo", "badInput"]
      ])
      expect(yield* errors([fails("overloaded")])).toEqual([
        ["invoke_agent tester", "overloaded"],
        ["turn 1", undefined],
        ["chat small", "overloaded"]
      ])
      expect(yield* errors([asks(1, call("broken", {}))])).toEqual([
        ["invoke_agent tester", "Fatal"],
        ["turn 1", undefined],
        ["execute_tool broken", "Fatal"]
      ])
      expect(yield* errors([stops(1, "refused")])).toEqual([["invoke_agent tester", "ModelStopped"]])
    }))

  scenario("Waiting for a person is no error", () =>
    Effect.gen(function*() {
      const sends = Tool.make("sends", {
        description: "Sends.",
        input: Schema.Struct({}),
        approval: "always",
        run: () => Effect.succeed("sent")
      })
      const { spans } = yield* trace(
        Effect.provide(Agent.run(agent, "Send."), [
          Toolset.layer(
            Agent.asTool(Agent.make("helper", { instructions: "Help." }), {
              description: "Helps.",
              tools: Toolset.layer(sends),
              model: ScriptedModel.layer([asks(1, call("sends", {}))])
            })
          ),
          ScriptedModel.layer([asks(1, call("helper", { task: "Send it." }))]),
          Approvals.suspend
        ])
      )
      expect(errorsOf(spans)).toEqual([])
      expect(attributesOf(spans, "invoke_agent tester")).toMatchObject({ "levain.stop": "AwaitingApproval" })
      expect(spans.map(({ status }) => status._tag)).toEqual(spans.map(() => "Ended"))
    }))

  scenario("An interrupted run ends all its spans", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const waits = Tool.make("waits", {
        description: "Waits.",
        input: Schema.Struct({}),
        run: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      })
      const { spans, tracer } = collecting()
      const fiber = yield* Agent.run(agent, "Wait.").pipe(
        Effect.provideService(Tracer.Tracer, tracer),
        Effect.provide([Toolset.layer(waits), ScriptedModel.layer([asks(1, call("waits", {}))])]),
        Effect.forkChild
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      expect(spans.map(({ name, status }) => [name, status._tag === "Ended" && Exit.hasInterrupts(status.exit)]))
        .toEqual([
          ["invoke_agent tester", true],
          ["turn 1", true],
          ["chat", false],
          ["execute_tool waits", true]
        ])
      expect(spans.flatMap(({ attributes }) => attributes.get("error.type") ?? [])).toEqual([])
    }))

  scenario("A reply that was begun anew is an event of its request", () =>
    Effect.gen(function*() {
      const { spans } = yield* trace(Agent.run(agent, "Hello?"))
      expect(spans.map(({ events, name }) => [name, events.map(([event, , said]) => [event, said])])).toEqual([
        ["invoke_agent tester", []],
        ["turn 1", []],
        ["chat", [["restarted", { "levain.why": expect.stringContaining("cut off") }]]]
      ])
    }).pipe(Effect.provide([
      Toolset.layer(),
      Layer.succeed(Model, {
        reply: (_, sink) =>
          Effect.andThen(
            sink({ _tag: "Text", text: "Goo" }),
            Effect.fail(new ModelError({ reason: "connection", message: "cut off" }))
          )
      }).pipe(ModelPolicy.fallback(ScriptedModel.layer([answers(1, "Good day.")])))
    ])))

  scenario("A run that is taken up has a turn for its open calls", () =>
    Effect.gen(function*() {
      const tools = Toolset.layer(echo)
      const whole = yield* Effect.provide(Agent.run(agent, "Say hi.", { runId: "run" }), [
        tools,
        ScriptedModel.layer([asks(1, call("echo", { text: "hi" })), answers(1, "Hi.")])
      ])
      const { spans } = yield* trace(
        Agent.resume("run").pipe(
          Effect.provideService(Journal, makeMemory(new Map([["run", whole.events.slice(0, 2)]]))),
          Effect.provide([tools, ScriptedModel.layer([answers(1, "Hi.")])])
        )
      )
      expect(treeOf(spans)).toEqual([
        "invoke_agent tester",
        "  turn 1",
        "    execute_tool echo",
        "  turn 2",
        "    chat"
      ])
    }))

  scenario("Metrics count tokens, cost, duration and failed calls", () =>
    Effect.gen(function*() {
      const slow = Tool.make("slow", {
        description: "Takes two seconds, and finds nothing.",
        input: Schema.Struct({}),
        run: () => Effect.andThen(TestClock.adjust("2 seconds"), Effect.fail(new NotFound({ message: "no." })))
      })
      const metrics = yield* measure(
        trace(
          Effect.provide(Agent.run(agent, "Go."), [
            Toolset.layer(slow),
            named([
              withUsage(asks(1, call("slow", {}))),
              new ModelError({ reason: "malformed", message: "no reply.", usage })
            ])
          ])
        )
      )
      const by = "provider.name=test request.model=small"
      expect(metrics).toEqual([
        `gen_ai.client.operation.duration agent.name=tester operation.name=chat ${by}: 1x 0 s`,
        `gen_ai.client.operation.duration error.type=malformed agent.name=tester operation.name=chat ${by}: 1x 0 s`,
        `gen_ai.client.operation.duration error.type=malformed agent.name=tester operation.name=invoke_agent ${by}: 1x 2 s`,
        `gen_ai.client.operation.duration error.type=notFound agent.name=tester operation.name=execute_tool ${by} tool.name=slow: 1x 2 s`,
        `gen_ai.client.token.usage agent.name=tester operation.name=chat ${by} token.type=input: 2x 20 {token}`,
        `gen_ai.client.token.usage agent.name=tester operation.name=chat ${by} token.type=output: 2x 8 {token}`,
        `levain.cost agent.name=tester operation.name=chat ${by}: 0.5 USD`,
        `levain.tool.failures error.type=notFound agent.name=tester operation.name=execute_tool ${by} tool.name=slow: 1 {call}`
      ])
    }))

  scenario("Without a tracer nothing is traced or measured", () =>
    Effect.gen(function*() {
      const play = Effect.provide(Agent.run(agent, "Hello?"), [Toolset.layer(), named([answers(1, "Hello.")])])
      expect(yield* measure(play)).toEqual([])
      const measured = yield* measure(Effect.provide(play, Telemetry.layer({ always: true })))
      expect(measured.map((line) => line.split(" ", 1)[0])).toEqual([
        "gen_ai.client.operation.duration",
        "gen_ai.client.operation.duration",
        "gen_ai.client.token.usage",
        "gen_ai.client.token.usage"
      ])
    }))
})
