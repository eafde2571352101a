import { type InvalidInput, invalid } from "@rollcall/input"
import { readDocuments } from "@rollcall/input/documents"
import { type ConfigLayer, type ConfigLayers, decodeKubeletConfiguration } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

const DROP_IN = ".conf"
/** The deepest nesting of folders; deeper ones are a loop of links. */
const MAX_DEPTH = 32

/** Reads a KubeletConfiguration file. Like kubelet, it reads only the first document. */
const readLayer = Effect.fnUntraced(function* (file: string, warnings: Array<string>) {
  const [document, ...others] = yield* readDocuments(file, { version: "1.1" })
  for (const { path } of others) warnings.push(`${file}: ${path} has no effect: kubelet reads the first document only`)
  const decoded = yield* Effect.fromResult(decodeKubeletConfiguration(file, document?.value))
  warnings.push(...decoded.warnings)
  return decoded.layer
})

/**
 * Resolves relative paths in `--config` against the folder of that file. Upstream:
 * pkg/kubelet/kubeletconfig/configfiles, resolveRelativePaths.
 */
const withAbsolutePaths = (path: Path.Path, layer: ConfigLayer): ConfigLayer => {
  const { staticPodPath } = layer.fields
  return typeof staticPodPath !== "string" || staticPodPath === ""
    ? layer
    : { ...layer, fields: { ...layer.fields, staticPodPath: path.resolve(path.dirname(layer.file), staticPodPath) } }
}

/**
 * Returns the files of a folder and its subfolders, in lexical order within each folder. Upstream: Go's
 * filepath.WalkDir.
 */
const listFiles = (
  folder: string,
  depth = 0
): Effect.Effect<ReadonlyArray<string>, InvalidInput, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const names = yield* fs.readDirectory(folder).pipe(
      Effect.mapError((error) => {
        const reason = error.reason._tag === "NotFound" ? "no such folder" : `cannot be read: ${error.message}`
        return invalid(folder, "", reason)
      })
    )
    const found: Array<string> = []
    for (const name of [...names].sort()) {
      const file = path.join(folder, name)
      const { type } = yield* fs
        .stat(file)
        .pipe(Effect.mapError((error) => invalid(file, "", `cannot be read: ${error.message}`)))
      if (type !== "Directory") found.push(file)
      else if (depth < MAX_DEPTH) for (const inner of yield* listFiles(file, depth + 1)) found.push(inner)
    }
    return found
  })

export interface KubeletFiles {
  readonly layers: ConfigLayers
  readonly warnings: ReadonlyArray<string>
}

/** Reads the files of `--config` and `--config-dir`; an empty name stands for a flag that was not given. */
export const kubeletLayers = Effect.fnUntraced(function* (config: string, folder: string) {
  const path = yield* Path.Path
  const warnings: Array<string> = []
  const base = config === "" ? undefined : withAbsolutePaths(path, yield* readLayer(config, warnings))
  const files = folder === "" ? [] : yield* listFiles(folder)
  const dropIns: Array<ConfigLayer> = []
  for (const file of files) if (file.endsWith(DROP_IN)) dropIns.push(yield* readLayer(file, warnings))
  const found: KubeletFiles = { layers: base === undefined ? { dropIns } : { base, dropIns }, warnings }
  return found
})
