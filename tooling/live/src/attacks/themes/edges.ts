import { join } from "node:path"
import { openPki } from "@rollcall/pki"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Attack } from "../Attack.ts"
import type { Answer, Request } from "../Request.ts"
import type { Target } from "../Target.ts"
import { authorization, openHttp2, openTls } from "../wire/sockets.ts"
import { describeAnswer, outcomeOf } from "./answers.ts"

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
const PARTIAL = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

const map = (name: string, data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data })

/** Opens watch streams on one connection for `keepMs`; returns the bytes that each received, or why it ended. */
const watchAs = Effect.fnUntraced(function* (target: Target, accept: string, path: string, keepMs: number) {
  const session = yield* openHttp2(target)
  let bytes = 0
  let code = 0
  const stream = session?.request({ ":path": path, accept, ...authorization(target, "tenant") })
  stream?.on("response", (headers) => {
    code = Number(headers[":status"])
  })
  stream?.on("data", (part: Buffer) => {
    bytes += part.length
  })
  stream?.on("error", () => {})
  yield* target.ask("tenant", { method: "POST", path: CONFIG_MAPS, body: map("watched", { a: "b" }) })
  yield* target.ask("tenant", { method: "DELETE", path: `${CONFIG_MAPS}/watched` })
  yield* Effect.sleep(keepMs)
  return { code, bytes }
})

const forms = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/cbor"
].flatMap((type) => [
  type,
  ...["Table", "PartialObjectMetadata", "PartialObjectMetadataList"].map((as) => `${type};as=${as};g=meta.k8s.io;v=v1`),
  `${type};stream=watch`
])

const watchForms: Attack = {
  name: "edges/watch-forms",
  about: "a watch in every form that can be asked for",
  run: (target) =>
    Effect.gen(function* () {
      const responses: Array<string> = []
      for (const accept of forms) {
        const { bytes, code } = yield* watchAs(target, accept, `${CONFIG_MAPS}?watch=true&resourceVersion=0`, 300)
        const answer = yield* target.ask("tenant", { method: "GET", path: CONFIG_MAPS, headers: { accept } })
        responses.push(`${accept}: watch ${code}, ${bytes} bytes; list ${answer.code}`)
      }
      const { bytes, code } = yield* watchAs(target, PARTIAL, `${CONFIG_MAPS}?watch=true`, 500)
      return {
        finding: `PartialObjectMetadata as protobuf: ${code}, ${bytes} bytes; ${responses.length} forms tried`,
        holds: code === 200 && bytes > 0
      }
    }).pipe(Effect.scoped)
}

const asks = (
  name: string,
  about: string,
  requests: ReadonlyArray<readonly [string, Request]>,
  judge: (answers: ReadonlyArray<Answer>) => boolean
): Attack => ({
  name: `edges/${name}`,
  about,
  run: (target) =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(requests, ([what, request]) =>
        Effect.map(target.ask("operator", request), (answer) => [what, answer] as const)
      )
      const { holds, finding } = outcomeOf(answers)
      return { finding, holds: holds && judge(answers.map(([, answer]) => answer)) }
    })
})

const put = (path: string, body: unknown): Request => ({ method: "POST", path, body })

const nulls = asks(
  "nulls",
  "lists that a Go client may write as null",
  [
    [
      "EndpointSlice",
      put("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: { name: "nulls", labels: { "kubernetes.io/service-name": "kubernetes" } },
        addressType: "IPv4",
        endpoints: null,
        ports: null
      })
    ],
    [
      "CSINode",
      put("/apis/storage.k8s.io/v1/csinodes", {
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINode",
        metadata: { name: "nulls" },
        spec: { drivers: null }
      })
    ],
    [
      "Role",
      put("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "nulls" },
        rules: null
      })
    ],
    ["delete", { method: "DELETE", path: "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/nulls" }],
    ["delete", { method: "DELETE", path: "/apis/storage.k8s.io/v1/csinodes/nulls" }],
    ["delete", { method: "DELETE", path: "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/nulls" }]
  ],
  (answers) => answers.every(({ code }) => code < 300)
)

const surrogates = asks(
  "surrogates",
  "half of a surrogate pair",
  [
    [
      "create",
      put(CONFIG_MAPS, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"half"},"data":{"x":"a\\ud800b"}}')
    ],
    ["read", { method: "GET", path: `${CONFIG_MAPS}/half` }],
    ["delete", { method: "DELETE", path: `${CONFIG_MAPS}/half` }]
  ],
  (answers) => answers[1]?.body.includes("a\ufffdb") === true
)

const unknownFields = Object.fromEntries(
  Array.from({ length: 5000 }, (_, index) => [`unknown-field-number-${index}`, 1])
)

const warnings: Attack = {
  name: "edges/warnings",
  about: "a body with thousands of unknown fields: what is warned of is cut at 4 KiB",
  run: (target) =>
    Effect.gen(function* () {
      const answer = yield* target.ask(
        "tenant",
        put(`${CONFIG_MAPS}?fieldValidation=Warn`, { ...map("warned", {}), ...unknownFields })
      )
      yield* target.ask("tenant", { method: "DELETE", path: `${CONFIG_MAPS}/warned` })
      const given = answer.headers.warning
      const bytes = (Array.isArray(given) ? given.join("") : String(given ?? "")).length
      return {
        finding: `${describeAnswer(answer)}, ${bytes} bytes of warnings`,
        holds: answer.code === 201 && bytes > 0 && bytes < 6000
      }
    })
}

const certificates: Attack = {
  name: "edges/certificate",
  about: "a client certificate that nobody here signed",
  run: (target) =>
    Effect.gen(function* () {
      const stranger = yield* foreignCertificate(target)
      const open = yield* openTls(target, "http/1.1", stranger)
      open?.socket.write(`GET /api/v1/nodes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      for (let waited = 0; waited < 3000 && open?.received() === ""; waited += 20) yield* Effect.sleep(20)
      const code = Number(/^HTTP\/1.1 (\d+)/.exec(open?.received() ?? "")?.[1] ?? 0)
      return { finding: `answered ${code}`, holds: code === 401 }
    }).pipe(Effect.scoped)
}

/** Returns a client certificate of another CA. */
const foreignCertificate = Effect.fnUntraced(function* (target: Target) {
  const pki = yield* Effect.orDie(
    openPki({ folder: join(target.folder, "foreign"), nowMs: yield* Clock.currentTimeMillis, names: ["127.0.0.1"] })
  )
  const { certificatePem, keyPem } = pki.clientCertificate(
    { commonName: "kubernetes-admin", organizations: ["system:masters"] },
    yield* Clock.currentTimeMillis
  )
  return { cert: certificatePem, key: keyPem }
})

const accepts = asks(
  "headers",
  "headers of thousands of parts",
  [
    [
      "Accept",
      {
        method: "GET",
        path: CONFIG_MAPS,
        headers: { accept: Array.from({ length: 3000 }, (_, index) => `a/b${index};q=0.${index}`).join(",") }
      }
    ],
    [
      "Impersonate",
      {
        method: "GET",
        path: CONFIG_MAPS,
        headers: Object.fromEntries([
          ["impersonate-user", "x"],
          ...Array.from({ length: 80 }, (_, index) => [`impersonate-extra-k${index}`, "v"])
        ])
      }
    ],
    [
      "Content-Type",
      { ...put(CONFIG_MAPS, "{}"), headers: { "content-type": `application/json;${"a=b;".repeat(5000)}` } }
    ],
    ["Content-Encoding", { ...put(CONFIG_MAPS, "{}"), headers: { "content-encoding": "gzip" } }],
    ["continue", { method: "GET", path: `${CONFIG_MAPS}?limit=1&continue=${"A".repeat(40_000)}` }],
    ["timeout", { method: "GET", path: `${CONFIG_MAPS}?timeout=99999999999999h&timeoutSeconds=99999999999999` }]
  ],
  () => true
)

const reviews = asks(
  "reviews",
  "reviews of very many rules, tokens of a megabyte, and queries of thousands of names",
  [
    [
      "SelfSubjectRulesReview",
      put("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectRulesReview",
        spec: { namespace: "default" }
      })
    ],
    [
      "SubjectAccessReview",
      put("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: {
          user: "x",
          groups: Array.from({ length: 50_000 }, (_, index) => `g${index}`),
          resourceAttributes: { verb: "get", resource: "pods" }
        }
      })
    ],
    [
      "TokenReview",
      put("/apis/authentication.k8s.io/v1/tokenreviews", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token: "x.".repeat(1 << 20) }
      })
    ]
  ],
  () => true
)

/** Attacks by unusual requests that a genuine server answers. */
export const edges: ReadonlyArray<Attack> = [watchForms, nulls, surrogates, warnings, certificates, accepts, reviews]
