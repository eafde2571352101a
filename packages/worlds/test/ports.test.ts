import { Observers } from "@rollcall/control-plane"
import { PodRuntimes } from "@rollcall/kubelet"
import { CloudProvider } from "@rollcall/node-controller"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import { ports, readers } from "../src/ports.ts"
import { readLayers } from "../src/readLayers.ts"

const methods = (...names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, () => undefined]))

/** A service of each port's shape, by the port's name. */
const servicesWithMethods: Readonly<Record<(typeof ports)[number]["name"], unknown>> = {
  Store: methods("get", "range", "write", "watch", "compact"),
  PodRuntimes: methods("of"),
  NodeHosts: methods("of"),
  DeviceDrivers: methods("of"),
  Links: methods("of"),
  Inhibitors: methods("of"),
  CloudProvider: { name: "c", instances: methods("instanceExists", "instanceShutdown", "instanceMetadata") },
  SchedulerPlugins: { Own: { filter: {} } },
  AdmissionPlugins: [methods("admits")],
  Authorizers: [methods("authorize", "rulesFor")],
  MetricsSource: methods("ask"),
  Observers: [methods("zoneCreated", "volumeDetached")]
}

describe("the ports of a world", () => {
  for (const { name, expectedShape } of ports) {
    it(`${name} accepts a service of its shape, and nothing else`, () => {
      assert.isUndefined(expectedShape(servicesWithMethods[name]))
      for (const odd of [undefined, null, 1, "x", () => undefined, { made: 1 }, [{ made: 1 }]])
        assert.isString(expectedShape(odd))
    })

    it(`${name} is used by a world`, () => {
      assert.isTrue(Object.values(readers).some((read: ReadonlyArray<string>) => read.includes(name)))
    })
  }

  it("have unique keys, which name their packages", () => {
    const keys = ports.map(({ key }) => key)
    assert.strictEqual(new Set(keys).size, keys.length)
    for (const { key, name } of ports) assert.match(key, new RegExp(`^@rollcall/[a-z-]+/${name}$`))
  })
})

const read = (layer: unknown, warned: Array<string> = []) =>
  readLayers({
    file: "mine.ts",
    module: { default: layer },
    reader: "rollcall controller-manager",
    warn: (message) => void warned.push(message)
  }).pipe(
    Effect.flatMap((layers) => Effect.scoped(Layer.build(layers))),
    Effect.provide(layerWallClock()),
    Effect.flip,
    Effect.map(({ message }) => message)
  )

describe("user layers", () => {
  it("are refused where a service has another shape, with the found and the expected one", async () => {
    const cloud = Layer.succeed(CloudProvider, { name: "c" } as never)
    assert.match(
      await Effect.runPromise(read(cloud)),
      /^mine\.ts: default: CloudProvider: found \{ name \}, expected \{ name, instances: \{ instanceExists,/
    )
    const observers = Observers.layer({ zoneMade: () => undefined } as never)
    assert.match(
      await Effect.runPromise(read(observers)),
      /Observers: found .*, expected a list of observers: zoneCreated/
    )
  })

  it("are reported where the program does not use them", async () => {
    const warned: Array<string> = []
    const layers = Layer.merge(PodRuntimes.layerModelled(), Layer.effectDiscard(Effect.fail("no licence")))
    assert.match(
      await Effect.runPromise(read(layers, warned)),
      /mine\.ts: default: the layer cannot be built: no licence/
    )
    const outcome = readLayers({
      file: "mine.ts",
      module: { default: PodRuntimes.layerModelled() },
      reader: "rollcall controller-manager",
      warn: (message) => void warned.push(message)
    })
    await Effect.runPromise(
      outcome.pipe(
        Effect.flatMap((built) => Effect.scoped(Layer.build(built))),
        Effect.provide(layerWallClock())
      )
    )
    assert.deepStrictEqual(warned, ["mine.ts: provides PodRuntimes, which rollcall controller-manager does not read"])
  })
})
