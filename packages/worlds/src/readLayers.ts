import { type InvalidInput, invalid, missing, show, unknownName, type Wrong, wrongValue } from "@rollcall/input"
import { recovering } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { type LayersReader, ports, readers, type WorldBase } from "./ports.ts"

/** User layers for ports of a world. The ports are known once the layers are built. */
export type UserLayers = Layer.Layer<never, InvalidInput, WorldBase>

export interface ReadLayersOptions {
  /** The file's path, as the user gave it. */
  readonly file: string
  /** The module's exports. */
  readonly module: unknown
  readonly reader: LayersReader
  /** Called for each port that the command does not read, whenever the layers are built. */
  readonly warn: (message: string) => void
}

const portsByKey = new Map(ports.map((port) => [port.key, port]))
const names = ports.map(({ name }) => name)

const serviceText = (service: unknown): string =>
  Predicate.isReadonlyObject(service) ? `{ ${Object.keys(service).join(", ")} }` : show(service)

const problemOf = (key: string, service: unknown): string | Wrong | undefined => {
  const port = portsByKey.get(key)
  if (port === undefined) {
    const what = `provides "${key}", which is not a port of a world, expected ${names.join(", ")}`
    return unknownName(what, key.slice(key.lastIndexOf("/") + 1), names)
  }
  const expected = port.expectedShape(service)
  return expected === undefined
    ? undefined
    : wrongValue(service, expected, { label: `${port.name}: `, shown: serviceText })
}

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Reads the default export of a module as layers of a world. They are built once a world, in the world's own time, and
 * what they provide is checked then: each tag must be a port, and each service must have its shape. Fails at once with
 * InvalidInput when the default export is not a layer.
 */
export const readLayers = ({
  file,
  module,
  reader,
  warn
}: ReadLayersOptions): Effect.Effect<UserLayers, InvalidInput> => {
  const defaultExport = Predicate.isReadonlyObject(module) ? module.default : undefined
  if (!Layer.isLayer(defaultExport)) {
    const how = "export default defineLayers(…)"
    const wrong = defaultExport === undefined ? missing(`: ${how}`) : wrongValue(defaultExport, `a Layer: ${how}`)
    return Effect.fail(invalid(file, "default", wrong))
  }
  const layer = defaultExport as Layer.Layer<never, unknown, WorldBase>
  const invalidExport = (wrong: string | Wrong) => invalid(file, "default", wrong)
  const build = Effect.gen(function* () {
    const building = Layer.buildWithScope(layer, yield* Effect.scope)
    const built: Context.Context<never> = yield* recovering(building, (error) =>
      Effect.fail(invalidExport(`the layer cannot be built: ${errorText(error)}`))
    ).pipe(
      // Effect leaves its memo map in the context; it belongs to this build only.
      Effect.map((context) => Context.omit(Layer.CurrentMemoMap)(context as Context.Context<Layer.CurrentMemoMap>))
    )
    for (const [key, service] of built.mapUnsafe) {
      const problem = problemOf(key, service)
      if (problem !== undefined) return yield* invalidExport(problem)
      const name = portsByKey.get(key)?.name
      const read: ReadonlyArray<string> = readers[reader]
      if (name !== undefined && !read.includes(name)) warn(`${file}: provides ${name}, which ${reader} does not read`)
    }
    return built
  })
  return Effect.succeed(Layer.effectContext(build))
}
