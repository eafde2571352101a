import { Links } from "@rollcall/machines"
import { defineLayers } from "@rollcall/worlds"
import { Effect, Layer } from "effect"

/** The round trip to the far site, in milliseconds. */
const FAR_MS = 80

/** Expensive machines are at a far site. The latency of a fault is added to that of their links. */
const farAway = Layer.effect(
  Links,
  Effect.map(Links, (links) => ({
    of: (name, to) => {
      const link = links.of(name, to)
      if (!name.startsWith("dear-")) return link
      link.setLatency(FAR_MS)
      return { ...link, setLatency: (roundTripMs) => link.setLatency(FAR_MS + roundTripMs) }
    }
  }))
).pipe(Layer.provide(Links.layerModelled(1)))

export default defineLayers(farAway)
