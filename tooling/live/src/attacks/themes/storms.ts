import * as Effect from "effect/Effect"
import type { Attack } from "../Attack.ts"
import type { Answer, Request } from "../Request.ts"
import { isAnswered, outcomeOf } from "./answers.ts"

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"

const map = (name: string, data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data })
const put = (path: string, body: unknown): Request => ({ method: "POST", path, body })

const storm: Attack = {
  name: "storms/definitions",
  about: "60 definitions with a list of OpenAPI after each",
  run: (target, scale) =>
    Effect.gen(function* () {
      const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
      const slow: Array<Answer> = []
      const count = Math.ceil(60 * scale)
      for (let index = 0; index < count; index++) {
        const names = {
          plural: `storms${index}`,
          singular: `storm${index}`,
          kind: `Storm${index}`,
          listKind: `Storm${index}List`
        }
        slow.push(
          yield* target.ask(
            "operator",
            put(path, {
              apiVersion: "apiextensions.k8s.io/v1",
              kind: "CustomResourceDefinition",
              metadata: { name: `storms${index}.storm.io` },
              spec: {
                group: "storm.io",
                scope: "Namespaced",
                names,
                versions: [
                  {
                    name: "v1",
                    served: true,
                    storage: true,
                    schema: {
                      openAPIV3Schema: {
                        type: "object",
                        properties: Object.fromEntries(
                          Array.from({ length: 500 }, (_, at) => [`p${at}`, { type: "string" }])
                        )
                      }
                    }
                  }
                ]
              }
            })
          ),
          yield* target.ask("operator", { method: "GET", path: "/openapi/v2" })
        )
      }
      for (let index = 0; index < count; index++)
        yield* target.ask("operator", { method: "DELETE", path: `${path}/storms${index}.storm.io` })
      return {
        finding: `slowest answer ${Math.max(...slow.map(({ tookMs }) => tookMs))} ms`,
        holds: slow.every(isAnswered)
      }
    })
}

const owned: Attack = {
  name: "storms/owners-in-a-ring",
  about: "objects that own each other in a ring, and one that owns very many",
  run: (target, scale) =>
    Effect.gen(function* () {
      const first = yield* target.ask("tenant", put(CONFIG_MAPS, map("owner", {})))
      const uid = (JSON.parse(first.body) as { readonly metadata: { readonly uid: string } }).metadata.uid
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, blockOwnerDeletion: true }
      yield* Effect.forEach(
        Array.from({ length: Math.ceil(1500 * scale) }, (_, index) => index),
        (index) =>
          target.ask(
            "tenant",
            put(CONFIG_MAPS, {
              ...map(`owned-${index}`, {}),
              metadata: { name: `owned-${index}`, ownerReferences: [owner] }
            })
          ),
        { concurrency: 8, discard: true }
      )
      const ring = yield* target.ask("tenant", {
        method: "PATCH",
        path: `${CONFIG_MAPS}/owner`,
        headers: { "content-type": "application/merge-patch+json" },
        body: { metadata: { ownerReferences: [{ ...owner }] } }
      })
      const gone = yield* target.ask("tenant", {
        method: "DELETE",
        path: `${CONFIG_MAPS}/owner?propagationPolicy=Foreground`
      })
      yield* Effect.sleep(2000)
      yield* target.ask("admin", { method: "DELETE", path: CONFIG_MAPS })
      return outcomeOf([
        ["ring", ring],
        ["delete", gone]
      ])
    })
}

/** Attacks by many objects that each cause work in the server. */
export const storms: ReadonlyArray<Attack> = [owned, storm]
