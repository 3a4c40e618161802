/**
 * Where orders go: a small journal of orders, each under a key. An order placed again under the same key is the one that is there, so that
 * no repeat of a call is a second order.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { Order } from "./pure/Order.ts"

/** An order that is kept. `at` is in milliseconds since 1970. */
export const KeptOrder = Schema.Struct({ key: Schema.String, at: Schema.Natural, ...Order.fields })
export type KeptOrder = typeof KeptOrder.Type

/** The orders cannot be read or written. */
export class OrdersError extends Schema.TaggedError<OrdersError>()("OrdersError", { message: Schema.String }) {}

export class Orders extends Context.Service<Orders, {
  /** Keeps an order, or gives back the one that has this key. */
  readonly place: (key: string, order: Order) => Effect.Effect<KeptOrder, OrdersError>
  /** All orders, the first one first. */
  readonly all: Effect.Effect<ReadonlyArray<KeptOrder>, OrdersError>
}>()("@levain/bakery/Orders") {}

/** Where the service keeps them. */
interface Keeper {
  readonly read: Effect.Effect<ReadonlyArray<KeptOrder>, OrdersError>
  readonly append: (order: KeptOrder) => Effect.Effect<void, OrdersError>
}

const make = ({ append, read }: Keeper): Orders["Service"] => {
  const turn = Semaphore.makeUnsafe(1)
  const place = Effect.fnUntraced(function*(key: string, order: Order) {
    const known = (yield* read).find((kept) => kept.key === key)
    if (known !== undefined) return known
    const kept: KeptOrder = { key, at: yield* Clock.currentTimeMillis, ...order }
    yield* append(kept)
    return kept
  }, Effect.uninterruptible)
  return { all: Effect.map(read, firstOfEach), place: (key, order) => turn.withPermit(place(key, order)) }
}

/** Two processes that write one key at once may both append: the first one stands. */
const firstOfEach = (orders: ReadonlyArray<KeptOrder>): ReadonlyArray<KeptOrder> =>
  [
    ...new Map(orders.toReversed().map((order) => [order.key, order])).values()
  ].toReversed()

/** Orders that are gone with the process. */
export const layerMemory: Layer.Layer<Orders> = Layer.sync(Orders, () => {
  const orders: Array<KeptOrder> = []
  return Orders.of(make({
    read: Effect.sync(() => [...orders]),
    append: (order) => Effect.sync(() => void orders.push(order))
  }))
})

/**
 * Orders in a file, one a line, as JSON. The file and its folder are made with the first order, for their owner alone. What was cut off
 * while it was written is no order.
 */
export const layerFile = (file: string): Layer.Layer<Orders, never, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    Orders,
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const text = Effect.catchIf(
        fs.readFileString(file),
        ({ reason }) => reason._tag === "NotFound",
        () => Effect.succeed("")
      ).pipe(Effect.mapError(unusable(file, "read")))
      return Orders.of(make({
        read: Effect.map(text, (lines) => lines.split("\n").flatMap((line) => Option.toArray(decode(line)))),
        append: Effect.fnUntraced(function*(order) {
          // Begins a line of its own, whatever was cut off before.
          const begin = /[^\n]$/.test(yield* text) ? "\n" : ""
          yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 }).pipe(
            Effect.andThen(fs.writeFileString(file, `${begin}${encode(order)}\n`, { flag: "a", mode: 0o600 })),
            Effect.mapError(unusable(file, "written"))
          )
        })
      }))
    })
  )

const Text = Schema.fromJsonString(KeptOrder)
const decode = Schema.decodeUnknownOption(Text)
const encode = Schema.encodeSync(Text)

const unusable = (file: string, what: string) => ({ reason }: PlatformError): OrdersError =>
  new OrdersError({ message: `the orders in ${file} cannot be ${what}: ${reason._tag}.` })
