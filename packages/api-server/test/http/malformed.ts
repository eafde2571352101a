import * as fc from "fast-check"

/** Arbitrary malformed HTTP/1.1 requests, as bytes. */

const methods = fc.constantFrom(
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "HEAD",
  "OPTIONS",
  "PROPFIND",
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "BREW"
)

const plainSegment = fc.constantFrom(
  ...[
    "api",
    "apis",
    "v1",
    "v2",
    "apps",
    "namespaces",
    "default",
    "pods",
    "nodes",
    "leases",
    "status",
    "scale",
    "binding"
  ],
  ...[
    "watch",
    "coordination.k8s.io",
    "kube-node-lease",
    "eviction",
    "finalize",
    "log",
    "proxy",
    "configmaps",
    "metrics"
  ],
  ...["openapi", "v3", "healthz", "ping", "events"]
)
const strangeSegment = fc.constantFrom("..", "%2e%2e", "%2F", "%", "%zz", "%00", "\u00e9", "a".repeat(300), "")
const segment = fc.oneof({ arbitrary: plainSegment, weight: 30 }, { arbitrary: strangeSegment, weight: 1 })

const randomPath = fc
  .tuple(fc.constantFrom("/", "/", "/api/v1/", "/apis/apps/v1/", "//"), fc.array(segment, { maxLength: 7 }))
  .map(([start, parts]) => start + parts.join("/"))

/** Paths that the server serves. */
const servedPath = fc
  .tuple(
    fc.constantFrom(
      ...[
        "/api/v1/namespaces/default/configmaps",
        "/api/v1/namespaces/default/pods",
        "/api/v1/nodes",
        "/api/v1/namespaces"
      ],
      ...["/apis/apps/v1/namespaces/default/deployments", "/apis/coordination.k8s.io/v1/namespaces/default/leases"],
      ...["/apis/events.k8s.io/v1/namespaces/default/events", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"],
      ...["/api/v1/namespaces/default/serviceaccounts", "/apis/policy/v1/namespaces/default/poddisruptionbudgets"]
    ),
    fc.constantFrom("", "", "/x", "/default", "/x/status", "/x/scale", "/x/eviction", "/x/binding", "/default/token")
  )
  .map(([collection, item]) => collection + item)

const path = fc.oneof(randomPath, { arbitrary: servedPath, weight: 2 })

const names = [
  ...["watch", "limit", "continue", "resourceVersion", "resourceVersionMatch", "timeoutSeconds", "labelSelector"],
  ...["fieldSelector", "dryRun", "fieldManager", "fieldValidation", "pretty", "force", "gracePeriodSeconds"],
  ...["propagationPolicy", "sendInitialEvents", "allowWatchBookmarks", "includeObject", "exclude", "hash", "verbose"]
]

const values = fc.constantFrom(
  ...[
    "",
    "true",
    "1",
    "0",
    "-1",
    "abc",
    "99999999999999999999",
    "1e9",
    "a=b",
    "a in (b",
    "!",
    "metadata.name=x",
    "All"
  ],
  ...["NotOlderThan", "Exact", "%ff", "%", "&&&", "x".repeat(500), "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", "Orphan", "\u00e9"]
)

const query = fc
  .array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 4 })
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`))

/** Headers that HTTP allows. */
const header = fc.constantFrom(
  ...["Authorization: Bearer x", "Authorization: Basic !!", "Authorization:"],
  ...["Impersonate-User: bob", "Impersonate-Group: g", "Impersonate-Extra-%zz: v", "Impersonate-Uid: 1"],
  ...[
    "Accept: application/json;as=Table;v=v1;g=meta.k8s.io",
    "Accept: application/vnd.kubernetes.protobuf",
    "Accept: ;;;,,"
  ],
  ...[
    "Accept: application/yaml",
    "Accept: */*;q=x",
    "Accept-Encoding: gzip",
    "Expect: 100-continue",
    'If-None-Match: "x"'
  ],
  ...["Audit-Id: \u00ff", "Connection: upgrade\r\nUpgrade: websocket"]
)

const contentType = fc.constantFrom(
  ...["application/json", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "///", ""],
  ...["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"],
  ...["application/strategic-merge-patch+json", "application/json; charset=utf-8"]
)

/** Headers that HTTP does not allow. */
const forbiddenHeader = fc.constantFrom(
  ...["Content-Length: -1", "Content-Length: abc", "Content-Length: 5\r\nContent-Length: 6", "no colon at all"],
  ...[
    " folded: line",
    "X\u0001Y: z",
    `X-Long: ${"y".repeat(70_000)}`,
    "Host: a, b",
    "X: \u0000",
    "Transfer-Encoding: gzip, chunked"
  ]
)

const seldom = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<A>> =>
  fc.oneof({ arbitrary: fc.constant([]), weight: 9 }, { arbitrary: arbitrary.map((one) => [one]), weight: 1 })

const ADMIN = "Authorization: Bearer admin"

const repeatText = (text: string, times: number) => text.repeat(times)

const body = fc.oneof(
  fc.constant(""),
  fc.json({ maxDepth: 4 }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => `k8s\0${Buffer.from(bytes).toString("latin1")}`),
  fc.constantFrom(
    ...[
      "{",
      "[",
      "null",
      "{}",
      '{"metadata":',
      '{"kind":"Pod"}',
      '{"kind":5}',
      '{"metadata":[]}',
      '{"metadata":{"name":5}}'
    ],
    ...['{"metadata":{"name":"x"},"spec":"y"}', '{"metadata":{"name":"x","labels":[]},"spec":{"containers":{}}}'],
    ...[
      '[{"op":"add","path":"/metadata/labels/a","value":1}]',
      '[{"op":"move"}]',
      '{"spec":{"$patch":"what"}}',
      "a: [",
      "- - -"
    ],
    ...[
      "&a [*a]",
      "? :",
      "!!binary x",
      repeatText("[", 5000),
      repeatText('{"a":', 5000),
      repeatText("a:\n ", 300),
      '"\\ud800"',
      "1e999"
    ]
  )
)

export interface Malformed {
  /** As they go onto the wire. */
  readonly bytes: Buffer
  /** The client goes silent before the end. */
  readonly unfinished: boolean
}

export const malformedRequest: fc.Arbitrary<Malformed> = fc.oneof(
  {
    arbitrary: fc.uint8Array({ maxLength: 300 }).map((raw) => ({ bytes: Buffer.from(raw), unfinished: true })),
    weight: 1
  },
  {
    arbitrary: fc
      .record({
        method: methods,
        path,
        query,
        version: seldom(fc.constantFrom("HTTP/1.0", "HTTP/9", "")).map(([odd]) => odd ?? "HTTP/1.1"),
        headers: fc.array(header, { maxLength: 2 }),
        admin: fc.boolean(),
        type: contentType,
        rudeness: seldom(forbiddenHeader),
        body,
        honest: fc.boolean()
      })
      .map(({ admin, body: content, headers, honest, method, path: where, query: asked, rudeness, type, version }) => {
        const bytes = Buffer.from(content, "latin1")
        const length = honest ? [`Content-Length: ${bytes.length}`] : ["Transfer-Encoding: chunked"]
        const said = [...(admin ? [ADMIN] : []), ...headers, `Content-Type: ${type}`, ...rudeness]
        const head = [`${method} ${where}${asked} ${version}`, "Host: x", ...said, ...length, "", ""].join("\r\n")
        const framed = honest ? bytes : Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, END])
        return { bytes: Buffer.concat([Buffer.from(head, "latin1"), framed]), unfinished: false }
      }),
    weight: 9
  }
)

const END = Buffer.from("\r\n0\r\n\r\n")
