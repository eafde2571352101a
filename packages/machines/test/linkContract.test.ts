import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Links } from "../src/index.ts"
import { linkContract } from "../src/testing/index.ts"

linkContract("modelled", Links.layerModelled(1))

/** Far away: what a fault says of its latency is added to its own. */
const layerFarLinks = Layer.effect(
  Links,
  Effect.map(Links, ({ of }) => ({
    of: (name, to) => {
      const link = of(name, to)
      link.setLatency(300)
      return { ...link, setLatency: (roundTripMs) => link.setLatency(300 + roundTripMs) }
    }
  }))
).pipe(Layer.provide(Links.layerModelled(2)))
linkContract("modelled, far away", layerFarLinks)
