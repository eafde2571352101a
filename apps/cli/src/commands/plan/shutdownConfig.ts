import type { Release } from "@rollcall/api"
import { decodeKubeletConfiguration, noKubeletSettings, resolveKubelet } from "@rollcall/kubelet"
import { validateShutdownConfig } from "@rollcall/shutdown"
import { InvalidInput } from "@rollcall/simulator/input"
import { readDocuments } from "@rollcall/simulator/world"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const UNKNOWN = "unknown field"

/**
 * What a kubelet of a release makes of its configuration file: all of it is checked as the kubelet checks it. Fields that mean
 * nothing to a shutdown are not spoken of, but those that nobody knows are.
 */
export const readShutdownConfig = Effect.fnUntraced(function* (file: string, release: Release) {
  const [document] = yield* readDocuments(file)
  const read = Result.flatMap(decodeKubeletConfiguration(file, document?.value), ({ layer, warnings }) =>
    Result.map(
      resolveKubelet({ ...noKubeletSettings, base: layer }, release, { shutdown: validateShutdownConfig }),
      ({ config }) => ({ config, warnings: warnings.filter((warning) => warning.includes(UNKNOWN)) })
    )
  )
  return yield* Effect.fromResult(Result.mapError(read, (problems) => new InvalidInput({ problems })))
})
