/** unbuilt: an agent that cannot be run. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import greeter from "./greeter.ts"

export default { ...greeter, tools: Layer.effectDiscard(Effect.fail("the shelf is empty")) }
