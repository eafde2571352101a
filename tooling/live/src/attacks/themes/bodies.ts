import * as Effect from "effect/Effect"
import type { Attack } from "../Attack.ts"
import type { Request } from "../Request.ts"
import { outcomeOf } from "./answers.ts"

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
const PODS = "/api/v1/namespaces/default/pods"
const BYTES = 2_900_000

const many = (count: number, of: (index: number) => readonly [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => of(index)))

const configMap = (name: string, more: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  ...more
})

const create = (body: unknown, headers?: Request["headers"]): Request => ({
  method: "POST",
  path: CONFIG_MAPS,
  body,
  ...(headers === undefined ? {} : { headers })
})

/** Sends the bodies in order as the tenant, and combines the responses. */
const sends = (
  name: string,
  about: string,
  requests: (scale: number) => ReadonlyArray<readonly [string, Request]>
): Attack => ({
  name: `bodies/${name}`,
  about,
  run: (target, scale) =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(requests(scale), ([what, request]) =>
        Effect.map(target.ask("tenant", request), (answer) => [what, answer] as const)
      )
      yield* target.ask("admin", { method: "DELETE", path: CONFIG_MAPS })
      return outcomeOf(answers)
    })
})

const sizes = (scale: number): ReadonlyArray<number> => [8000 * scale, 100_000 * scale].map(Math.ceil)

const keyed = (name: string, about: string, body: (count: number) => unknown): Attack =>
  sends(name, about, (scale) => sizes(scale).map((count) => [`${count}:`, create(body(count))] as const))

const uid = "7d5b6f2e-51a7-4f0e-9a55-000000000000"

const patch = (type: string, body: unknown): Request => ({
  method: "PATCH",
  path: `${CONFIG_MAPS}/patched`,
  headers: { "content-type": type },
  body
})

const patchAttack = (
  name: string,
  about: string,
  data: object,
  patches: (scale: number) => ReadonlyArray<readonly [string, Request]>
) => sends(name, about, (scale) => [["create", create(configMap("patched", { data }))], ...patches(scale)])

const JSON_PATCH = "application/json-patch+json"

const doubling = (times: number) => [
  { op: "add", path: "/data/x0", value: "x".repeat(64) },
  { op: "add", path: "/metadata/annotations", value: {} },
  { op: "add", path: "/list", value: ["x".repeat(16)] },
  ...Array.from({ length: times }, () => ({ op: "copy", from: "/list", path: "/list/-" }))
]

const YAML = { "content-type": "application/yaml" }
const yamlHead = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n"

const lines = (bytes: number): string => {
  const parts: Array<string> = [yamlHead]
  for (let size = 0, index = 0; size < bytes; index++) {
    const line = `  key-${index}: "value ${index}"\n`
    parts.push(line)
    size += line.length
  }
  return parts.join("")
}

const laughs = (levels: number): string =>
  `${yamlHead}  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${Array.from(
    { length: levels },
    (_, index) => `  a${index + 1}: &a${index + 1} [${Array.from({ length: 10 }, () => `*a${index}`).join(", ")}]\n`
  ).join("")}`

const nestedJson = (depth: number): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":{"x":${"[".repeat(depth)}${"]".repeat(depth)}}}`

const container = (count: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "wide" },
  spec: {
    containers: [
      {
        name: "c",
        image: "registry.k8s.io/pause:3.10",
        env: Array.from({ length: count }, (_, index) => ({ name: `E${index}`, value: "v" }))
      }
    ],
    tolerations: Array.from({ length: count / 4 }, (_, index) => ({ key: `k${index}`, operator: "Exists" }))
  }
})

/** Attacks by one body within the limit of 3 MiB that is far more expensive to handle than to read. */
export const bodies: ReadonlyArray<Attack> = [
  keyed("configmap-keys", "a ConfigMap of very many keys", (count) =>
    configMap(`keys-${count}`, { data: many(count, (index) => [`key-${index}`, "v"]) })
  ),
  keyed("labels", "very many labels", (count) =>
    configMap(`labels-${count}`, {}, { labels: many(count, (index) => [`l${index}`, "v"]) })
  ),
  keyed("annotations", "very many annotations", (count) =>
    configMap(`annotations-${count}`, {}, { annotations: many(Math.min(count, 20_000), (index) => [`a${index}`, "v"]) })
  ),
  keyed("finalizers", "very many finalizers", (count) =>
    configMap(`finalizers-${count}`, {}, { finalizers: Array.from({ length: count }, (_, index) => `x.io/f${index}`) })
  ),
  keyed("owner-references", "very many owners", (count) =>
    configMap(
      `owners-${count}`,
      {},
      {
        ownerReferences: Array.from({ length: Math.min(count, 24_000) }, (_, index) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          name: `o${index}`,
          uid: uid.slice(0, -6) + String(index).padStart(6, "0")
        }))
      }
    )
  ),
  sends("pod-lists", "a pod with very many variables and tolerations", (scale) =>
    [8000, 50_000].map((count) => [
      `${count * scale}:`,
      { method: "POST", path: `${PODS}?dryRun=All`, body: container(Math.ceil(count * scale)) }
    ])
  ),
  patchAttack("json-patch-operations", "a JSON patch of very many operations", { x: "y" }, (scale) =>
    sizes(scale).map((count) => [
      `${count}:`,
      patch(
        JSON_PATCH,
        Array.from({ length: Math.min(count, 60_000) }, (_, index) => ({
          op: "add",
          path: `/data/k${index}`,
          value: "v"
        }))
      )
    ])
  ),
  patchAttack("json-patch-copies", "40 copies of a value into itself", { x: "y" }, () => [
    ["40:", patch(JSON_PATCH, doubling(40))]
  ]),
  patchAttack("merge-patch-keys", "a merge patch of very many keys", { x: "y" }, (scale) =>
    sizes(scale).map((count) => [
      `${count}:`,
      patch("application/merge-patch+json", { data: many(count, (index) => [`m${index}`, "v"]) })
    ])
  ),
  patchAttack("apply-keys", "an apply configuration of very many keys", { x: "y" }, (scale) =>
    sizes(scale).map((count) => [
      `${count}:`,
      {
        ...patch(
          "application/apply-patch+yaml",
          JSON.stringify(configMap("patched", { data: many(count, (index) => [`p${index}`, "v"]) }))
        ),
        path: `${CONFIG_MAPS}/patched?fieldManager=attack`
      }
    ])
  ),
  sends("yaml", "YAML of almost 3 MiB", (scale) => [["lines", create(lines(BYTES * scale), YAML)]]),
  sends("yaml-aliases", "aliases of aliases of aliases", () => [["laughs", create(laughs(9), YAML)]]),
  sends("yaml-deep", "flow sequences in flow sequences", (scale) => [
    ["open", create(`${yamlHead}  x: ${"[".repeat(100_000 * scale)}`, YAML)],
    ["closed", create(`${yamlHead}  x: ${"[".repeat(5000 * scale)}${"]".repeat(5000 * scale)}`, YAML)]
  ]),
  sends("json-deep", "values in values in values", (scale) =>
    [1000, 20_000, 1_000_000].map((depth) => [`${depth}:`, create(nestedJson(Math.ceil(depth * scale)))])
  ),
  sends("managed-fields", "managed fields of the client's own making", (scale) =>
    sizes(scale).map((count) => [
      `${count}:`,
      create(
        configMap(
          `managed-${count}`,
          {},
          {
            managedFields: [
              {
                manager: "m",
                operation: "Update",
                apiVersion: "v1",
                fieldsType: "FieldsV1",
                fieldsV1: { "f:data": many(count, (index) => [`f:k${index}`, {}]) }
              }
            ]
          }
        )
      )
    ])
  ),
  sends("selectors", "selectors as long as a request line may be", (scale) => [
    [
      "labels",
      {
        method: "GET",
        path: `${PODS}?labelSelector=${encodeURIComponent(`a in (${Array.from({ length: 6000 * scale }, (_, index) => `v${index}`).join(",")})`)}`
      }
    ],
    [
      "fields",
      {
        method: "GET",
        path: `${PODS}?fieldSelector=${encodeURIComponent(Array.from({ length: 2500 * scale }, (_, index) => `metadata.name=v${index}`).join(","))}`
      }
    ],
    [
      "sets",
      {
        method: "GET",
        path: `${PODS}?labelSelector=${encodeURIComponent(Array.from({ length: 4000 * scale }, (_, index) => `!k${index}`).join(","))}`
      }
    ]
  ]),
  sends("quantities", "quantities and numbers of thousands of digits", () => {
    const pod = (cpu: string) => ({
      ...container(1),
      spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }] }
    })
    const dry = (body: unknown): Request => ({ method: "POST", path: `${PODS}?dryRun=All`, body })
    return [
      ["digits", dry(pod("9".repeat(100_000)))],
      ["exponent", dry(pod("1e999999999"))],
      ["fraction", dry(pod(`0.${"0".repeat(100_000)}1`))]
    ]
  }),
  sends("last-applied", "an object whose annotation holds another one of a megabyte", () => [
    [
      "1 MB",
      create(
        configMap(
          "applied",
          { data: { x: "y".repeat(1 << 20) } },
          {
            annotations: {
              "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ x: "z".repeat(200_000) })
            }
          }
        )
      )
    ]
  ])
]
