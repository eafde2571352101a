import { Links } from "@rollcall/machines"
import { defineLayers } from "@rollcall/worlds"
import { Effect, Layer } from "effect"

/** The round trip to the far site, in milliseconds. */
const FAR_MS = 80

/** Dear machines stand at a far site. The latency that a fault gives their links comes on top. */
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
