import * as fc from "fast-check"

/** Requests that no client means: bytes as they go onto the wire. */

const methods = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW", "get", "")

const segments = fc.constantFrom(
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
    "..",
    "%2e%2e",
    "%2F",
    "%",
    "%zz",
    "%00",
    "\u00e9",
    "a".repeat(300)
  ],
  ...["", "eviction", "finalize", "log", "proxy", "configmaps", "metrics", "openapi", "v3", "healthz", "ping", "events"]
)

const path = fc
  .tuple(fc.constantFrom("/", "", "//", "/api/v1/", "/apis/apps/v1/"), fc.array(segments, { maxLength: 7 }))
  .map(([start, parts]) => start + parts.join("/"))

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

const header = fc.constantFrom(
  ...[
    "Authorization: Bearer admin",
    "Authorization: Bearer admin",
    "Authorization: Bearer x",
    "Authorization: Basic !!"
  ],
  ...[
    "Authorization:",
    "Impersonate-User: bob",
    "Impersonate-Group: g",
    "Impersonate-Extra-%zz: v",
    "Impersonate-Uid: 1"
  ],
  ...[
    "Accept: application/json;as=Table;v=v1;g=meta.k8s.io",
    "Accept: application/vnd.kubernetes.protobuf",
    "Accept: ;;;,,"
  ],
  ...["Accept: application/yaml", "Accept: */*;q=x", "Accept-Encoding: gzip", "Content-Type: application/yaml"],
  ...[
    "Content-Type: application/vnd.kubernetes.protobuf",
    "Content-Type: application/apply-patch+yaml",
    "Content-Type: ///"
  ],
  ...["Content-Type: application/json-patch+json", "Content-Type: application/strategic-merge-patch+json"],
  ...[
    "Content-Type: application/merge-patch+json",
    "Content-Type: application/json",
    "Transfer-Encoding: gzip, chunked"
  ],
  ...["Content-Length: -1", "Content-Length: abc", "Content-Length: 5\r\nContent-Length: 6", "Expect: 100-continue"],
  ...[
    "Connection: upgrade\r\nUpgrade: websocket",
    "no colon at all",
    " folded: line",
    "X\u0001Y: z",
    'If-None-Match: "x"'
  ],
  ...[`X-Long: ${"y".repeat(70_000)}`, "Audit-Id: \u00ff", "Host: a, b", "X: \u0000"]
)

const deep = (text: string, times: number) => text.repeat(times)

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
    ...["&a [*a]", "? :", "!!binary x", deep("[", 5000), deep('{"a":', 5000), deep("a:\n ", 300), '"\\ud800"', "1e999"]
  )
)

export interface Malformed {
  /** As they go onto the wire. */
  readonly bytes: Buffer
  /** The client goes silent before the end. */
  readonly unfinished: boolean
}

export const malformed: fc.Arbitrary<Malformed> = fc.oneof(
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
        version: fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/9", ""),
        headers: fc.array(header, { maxLength: 6 }),
        body,
        honest: fc.boolean()
      })
      .map(({ body: content, headers, honest, method, path: where, query: asked, version }) => {
        const bytes = Buffer.from(content, "latin1")
        const length = honest ? [`Content-Length: ${bytes.length}`] : ["Transfer-Encoding: chunked"]
        const head = [`${method} ${where}${asked} ${version}`, "Host: x", ...headers, ...length, "", ""].join("\r\n")
        const framed = honest ? bytes : Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, END])
        return { bytes: Buffer.concat([Buffer.from(head, "latin1"), framed]), unfinished: false }
      }),
    weight: 9
  }
)

const END = Buffer.from("\r\n0\r\n\r\n")
