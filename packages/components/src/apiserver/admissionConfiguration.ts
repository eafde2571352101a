import { dirname, resolve } from "node:path"
import { checkStrictly, Fields, type InvalidInput } from "@rollcall/input"
import { readDocuments } from "@rollcall/input/documents"
import type { Configuration } from "@rollcall/pod-security"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { podSecurityConfiguration } from "./podSecurityConfiguration.ts"

const checkAdmission = checkStrictly(
  Schema.Struct({
    apiVersion: Schema.Literals(["apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1"]),
    kind: Schema.Literal("AdmissionConfiguration"),
    plugins: Schema.optionalKey(
      Schema.NullOr(
        Schema.Array(
          Schema.Struct({
            name: Schema.String,
            path: Schema.optionalKey(Schema.String),
            configuration: Schema.optionalKey(Schema.NullOr(Fields))
          })
        )
      )
    )
  })
)

const PLUGIN = "PodSecurity"

/**
 * Reads the file of `--admission-control-config-file`, and returns the configuration of PodSecurity, if it has one; it
 * warns of those of other plugins. Upstream: staging/src/k8s.io/apiserver/pkg/admission/config.go.
 */
export const readAdmissionConfiguration = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<Configuration | undefined, InvalidInput, FileSystem.FileSystem> {
  const [document] = yield* readDocuments(file)
  const { plugins } = yield* Effect.fromResult(checkAdmission(file, document?.value ?? {}))
  for (const { name } of plugins ?? []) {
    if (name === PLUGIN) continue
    yield* Effect.logWarning(`the configuration of the admission plugin ${name} has no effect`)
  }
  const index = plugins?.findIndex(({ name }) => name === PLUGIN) ?? -1
  const { configuration, path = "" } = plugins?.[index] ?? {}
  if (configuration != null) {
    const at = `plugins[${index}].configuration`
    return yield* Effect.fromResult(podSecurityConfiguration(file, configuration, at))
  }
  if (path === "") return undefined
  const own = resolve(dirname(file), path)
  const [ownDocument] = yield* readDocuments(own)
  return yield* Effect.fromResult(podSecurityConfiguration(own, ownDocument?.value ?? {}))
})
