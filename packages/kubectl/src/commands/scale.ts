import type { KubeObject } from "@rollcall/api"
import * as Effect from "effect/Effect"
import type { Arguments } from "../Arguments.ts"
import { commandError } from "../CommandError.ts"
import { dryRunOf, dryRunText } from "../dryRun.ts"
import type { Host } from "../Host.ts"
import { objectPath, objectText } from "../Mapping.ts"
import { callObject, patchObject, sendObject } from "../request.ts"
import { failWithServerErrors, resolveArguments } from "../targets.ts"

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number }
}

/** `kubectl scale`. Upstream: kubectl/pkg/cmd/scale/scale.go. */
export const scale = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const replicas = args.int("replicas") ?? -1
  if (replicas < 0) {
    return yield* commandError("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
  }
  const dryRun = yield* dryRunOf(args)
  const current = args.int("current-replicas") ?? -1
  const version = args.text("resource-version") ?? ""
  const { errors, infos } = yield* resolveArguments(host, args.positional, args)
  for (const info of infos) {
    const path = objectPath(info.mapping, info.namespace, info.name, "scale")
    if (dryRun !== "client") {
      const query = { dryRun: dryRun === "server", fieldManager: "kubectl" }
      if (current < 0 && version === "") yield* patchObject(host, path, "merge", { spec: { replicas } }, query)
      else {
        const found: Scale = yield* callObject(host, { method: "GET", path })
        const { resourceVersion = "" } = found.metadata
        const has = found.spec?.replicas ?? 0
        if (current >= 0 && has !== current)
          return yield* commandError(`Expected replicas to be ${current}, was ${has}`)
        if (version !== "" && resourceVersion !== version) {
          return yield* commandError(`Expected resource version to be ${version}, was ${resourceVersion}`)
        }
        yield* sendObject(host, "PUT", path, { ...found, spec: { ...found.spec, replicas } }, query)
      }
    }
    const name = objectText(info.mapping, info.object)
    host.stdout(args.text("output") === "name" ? `${name}\n` : `${name} scaled${dryRunText(dryRun)}\n`)
  }
  yield* failWithServerErrors(host, errors)
})
