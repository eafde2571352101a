import type { Request } from "./target.ts"

/** A kind of request whose size a client chooses. */
export interface Body {
  readonly name: string
  /** Elements at the smallest of three sizes, each four times the one before; default 8,000, or what makes the largest body 3 MiB. */
  readonly from?: number
  /** What must be there before; not measured. */
  readonly before?: (size: number) => ReadonlyArray<Request>
  readonly request: (size: number) => Request
}

type Json = Readonly<Record<string, unknown>>

const each = <A>(size: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: size }, (_, index) => make(index))

const entries = (size: number, value: (index: number) => unknown, key = (index: number) => `key-${index}`): Json =>
  Object.fromEntries(each(size, (index) => [key(index), value(index)]))

const CORE = "/api/v1/namespaces/default"
const JSON_TYPE = "application/json"

const post = (path: string, object: unknown, contentType = JSON_TYPE): Request => ({
  method: "POST",
  path: `${path}?dryRun=All`,
  contentType,
  body: typeof object === "string" || object instanceof Uint8Array ? object : JSON.stringify(object)
})

const create = (path: string, object: unknown): Request => ({
  method: "POST",
  path,
  contentType: JSON_TYPE,
  body: JSON.stringify(object)
})

const remove = (path: string): Request => ({ method: "DELETE", path })

const patch = (path: string, kind: string, body: unknown): Request => ({
  method: "PATCH",
  path,
  contentType: `application/${kind}`,
  body: typeof body === "string" ? body : JSON.stringify(body)
})

const NAME = "cost"
const ITEM = `${CORE}/configmaps/${NAME}`
const configMap = (fields: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: NAME, ...metadata },
  ...fields
})
/** Takes away what an earlier size left there. */
const removed: ReadonlyArray<Request> = [
  patch(ITEM, "merge-patch+json", { metadata: { finalizers: null } }),
  remove(ITEM)
]
const stored = (object: Json): ReadonlyArray<Request> => [...removed, create(`${CORE}/configmaps`, object)]

const created = (
  name: string,
  fields: (size: number) => Json,
  metadata: (size: number) => Json = () => ({})
): Body => ({
  name,
  request: (size) => post(`${CORE}/configmaps`, configMap(fields(size), metadata(size)))
})

const owner = (index: number, fields: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  name: `owner-${index}`,
  uid: `uid-${index}`,
  ...fields
})
const owners = (size: number, fields: Json = {}) => each(size, (index) => owner(index, fields))
const finalizers = (size: number) => each(size, (index) => `example.com/f${index}`)
const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`

const configMaps: ReadonlyArray<Body> = [
  created("ConfigMap keys", (size) => ({ data: entries(size, (index) => `value ${index}`) })),
  created("ConfigMap binary keys", (size) => ({ binaryData: entries(size, () => "aGVsbG8=") })),
  created("ConfigMap binary bytes", (size) => ({ binaryData: { key: "aGVsbG9o".repeat(size * 4) } })),
  created("ConfigMap invalid keys", (size) => ({
    data: entries(
      size,
      () => "",
      (index) => `k ${index}`
    )
  })),
  created("ConfigMap unknown fields", (size) => entries(size, () => 1)),
  created("ConfigMap wrong types", (size) => ({ data: entries(size, () => 1) })),
  created(
    "labels",
    () => ({}),
    (size) => ({ labels: entries(size, (index) => `v${index}`) })
  ),
  created(
    "labels, invalid",
    () => ({}),
    (size) => ({ labels: entries(size, () => "a b") })
  ),
  created(
    "annotations",
    () => ({}),
    (size) => ({ annotations: entries(size, (index) => `v${index}`) })
  ),
  created(
    "finalizers",
    () => ({}),
    (size) => ({ finalizers: finalizers(size) })
  ),
  created(
    "finalizers, all the same",
    () => ({}),
    (size) => ({ finalizers: each(size, () => "example.com/f") })
  ),
  created(
    "ownerReferences",
    () => ({}),
    (size) => ({ ownerReferences: owners(size) })
  ),
  created(
    "ownerReferences, controllers",
    () => ({}),
    (size) => ({ ownerReferences: owners(size, { controller: true }) })
  ),
  created(
    "managedFields, managers",
    () => ({}),
    (size) => ({
      managedFields: each(size, (index) => ({
        manager: `m${index}`,
        operation: "Update",
        apiVersion: "v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { [`f:key-${index}`]: {} } }
      }))
    })
  ),
  created(
    "managedFields, fields",
    () => ({}),
    (size) => ({
      managedFields: [
        {
          manager: "m",
          operation: "Update",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:data": entries(
              size,
              () => ({}),
              (index) => `f:key-${size - index}`
            )
          }
        }
      ]
    })
  ),
  created(
    "managedFields, keys",
    () => ({}),
    (size) => ({
      managedFields: [
        {
          manager: "m",
          operation: "Update",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:data": entries(
              size,
              () => ({}),
              (index) => `k:{"a":${size - index}}`
            )
          }
        }
      ]
    })
  ),
  {
    name: "JSON depth",
    request: (size) => post(`${CORE}/configmaps`, `{"a":${nested(size * 8, "[", "]")}}`)
  },
  {
    name: "JSON doubled fields below a long key",
    request: (size) =>
      patch(ITEM, "merge-patch+json", `{"${"k".repeat(size * 10)}":{${each(size, () => '"a":1').join()}}}`)
  },
  {
    name: "JSON numbers of many digits",
    request: (size) => post("/api/v1/nodes", `{"metadata":{"generation":${"1".repeat(size * 10)}}}`)
  },
  {
    name: "quantity of many digits",
    request: (size) =>
      post("/api/v1/nodes", `{"metadata":{"name":"n"},"status":{"capacity":{"cpu":"${"1".repeat(size * 10)}"}}}`)
  },
  {
    name: "quantity of many zeros, no quantity",
    request: (size) =>
      post("/api/v1/nodes", `{"metadata":{"name":"n"},"status":{"capacity":{"cpu":"${"0".repeat(size * 10)}x"}}}`)
  },
  {
    name: "name of many labels",
    request: (size) => post(`${CORE}/configmaps`, configMap({}, { name: `${"a.".repeat(size * 10)}!` }))
  },
  {
    name: "time of many digits",
    request: (size) =>
      post(`${CORE}/configmaps`, configMap({}, { deletionTimestamp: `2026-01-01T00:00:00.${"0".repeat(size * 10)}` }))
  }
]

const POD: Json = { containers: [{ name: "c", image: "i" }] }
const pod = (spec: Json, status: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: NAME },
  spec: { ...POD, ...spec },
  status
})
/** Pods run as this one unless they say otherwise. */
const SERVICE_ACCOUNT = create(`${CORE}/serviceaccounts`, { metadata: { name: "default" } })
const podOf = (name: string, spec: (size: number) => Json): Body => ({
  name: `Pod ${name}`,
  before: () => [SERVICE_ACCOUNT],
  request: (size) => post(`${CORE}/pods`, pod(spec(size)))
})
const named = (size: number, fields: Json = {}) => each(size, (index) => ({ name: `n${index}`, ...fields }))

const pods: ReadonlyArray<Body> = [
  podOf("env", (size) => ({ containers: [{ name: "c", image: "i", env: named(size) }] })),
  podOf("env, all the same", (size) => ({
    containers: [{ name: "c", image: "i", env: each(size, () => ({ name: "a" })) }]
  })),
  podOf("containers", (size) => ({ containers: named(size, { image: "i" }) })),
  podOf("init containers", (size) => ({ initContainers: named(size, { image: "i" }) })),
  podOf("ports", (size) => ({
    containers: [
      { name: "c", image: "i", ports: each(size, (index) => ({ containerPort: index + 1, hostPort: index + 1 })) }
    ]
  })),
  podOf("volumes", (size) => ({ volumes: named(size, { emptyDir: {} }) })),
  podOf("volume mounts", (size) => ({
    volumes: named(size, { emptyDir: {} }),
    containers: [
      { name: "c", image: "i", volumeMounts: each(size, (index) => ({ name: `n${index}`, mountPath: `/m${index}` })) }
    ]
  })),
  podOf("volume devices", (size) => ({
    volumes: named(size, { persistentVolumeClaim: { claimName: "c" } }),
    containers: [
      {
        name: "c",
        image: "i",
        volumeMounts: each(size, (index) => ({ name: `n${index}`, mountPath: `/m${index}` })),
        volumeDevices: each(size, (index) => ({ name: `n${index}`, devicePath: `/d${index}` }))
      }
    ]
  })),
  podOf("tolerations", (size) => ({ tolerations: each(size, (index) => ({ key: `k${index}`, operator: "Exists" })) })),
  podOf("scheduling gates", (size) => ({ schedulingGates: named(size) })),
  podOf("host aliases", (size) => ({
    hostAliases: each(size, (index) => ({ ip: `10.0.${index >> 8}.${index % 256}`, hostnames: ["a"] }))
  })),
  podOf("node selector", (size) => ({ nodeSelector: entries(size, () => "v") })),
  podOf("spread constraints", (size) => ({
    topologySpreadConstraints: each(size, (index) => ({
      maxSkew: 1,
      topologyKey: `k${index}`,
      whenUnsatisfiable: "DoNotSchedule"
    }))
  })),
  podOf("resource claims", (size) => ({
    resourceClaims: named(size, { resourceClaimName: "c" }),
    containers: [{ name: "c", image: "i", resources: { claims: named(size) } }]
  })),
  podOf("resource claim requests", (size) => ({
    resourceClaims: [{ name: "r", resourceClaimName: "c" }],
    containers: [
      { name: "c", image: "i", resources: { claims: each(size, (index) => ({ name: "r", request: `q${index}` })) } }
    ]
  })),
  podOf("resources", (size) => ({
    containers: [
      {
        name: "c",
        image: "i",
        resources: {
          requests: entries(
            size,
            () => "1",
            (index) => `example.com/r${index}`
          )
        }
      }
    ]
  })),
  podOf("affinity terms", (size) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: each(size, () => ({ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }))
        }
      },
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: each(size, (index) => ({
          topologyKey: "zone",
          labelSelector: { matchLabels: { a: `v${index}` } }
        }))
      }
    }
  })),
  podOf("affinity values", (size) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "a", operator: "In", values: each(size, (index) => `v${index}`) }] }
          ]
        }
      }
    }
  })),
  podOf("image pull secrets", (size) => ({ imagePullSecrets: named(size) })),
  podOf("readiness gates", (size) => ({
    readinessGates: each(size, (index) => ({ conditionType: `example.com/g${index}` }))
  })),
  podOf("supplemental groups", (size) => ({ securityContext: { supplementalGroups: each(size, (index) => index) } })),
  podOf("sysctls", (size) => ({ securityContext: { sysctls: named(size, { value: "1" }) } })),
  {
    name: "Pod conditions, by status",
    before: () => [
      SERVICE_ACCOUNT,
      remove(`${CORE}/pods/${NAME}?gracePeriodSeconds=0`),
      create(`${CORE}/pods`, pod({}))
    ],
    request: (size) =>
      patch(`${CORE}/pods/${NAME}/status`, "strategic-merge-patch+json", {
        status: { conditions: each(size, (index) => ({ type: `example.com/c${index}`, status: "True" })) }
      })
  },
  {
    name: "Pod container statuses",
    before: () => [
      SERVICE_ACCOUNT,
      remove(`${CORE}/pods/${NAME}?gracePeriodSeconds=0`),
      create(`${CORE}/pods`, pod({ containers: named(2000, { image: "i" }) }))
    ],
    request: (size) =>
      patch(`${CORE}/pods/${NAME}/status`, "merge-patch+json", {
        status: {
          containerStatuses: named(size, {
            image: "i",
            imageID: "",
            ready: true,
            restartCount: 0,
            state: { waiting: {} }
          })
        }
      })
  }
]

const NODE = "/api/v1/nodes"
const others: ReadonlyArray<Body> = [
  {
    name: "Node taints",
    request: (size) =>
      post(NODE, {
        metadata: { name: NAME },
        spec: { taints: each(size, (index) => ({ key: `k${index}`, value: "v", effect: "NoSchedule" })) }
      })
  },
  {
    name: "Node addresses, conditions, images",
    request: (size) =>
      post(NODE, {
        metadata: { name: NAME },
        status: {
          addresses: each(size, (index) => ({ type: "Hostname", address: `h${index}` })),
          conditions: each(size, (index) => ({ type: `c${index}`, status: "True" })),
          images: each(size, (index) => ({ names: [`i${index}`], sizeBytes: 1 }))
        }
      })
  },
  {
    name: "Service ports",
    request: (size) =>
      post(`${CORE}/services`, {
        metadata: { name: NAME },
        spec: { ports: each(size, (index) => ({ name: `p${index}`, port: 1 + index, nodePort: 0 })) }
      })
  },
  {
    name: "Service external IPs",
    request: (size) =>
      post(`${CORE}/services`, {
        metadata: { name: NAME },
        spec: {
          ports: [{ port: 1 }],
          externalIPs: each(size, (index) => `10.${index >> 16}.${(index >> 8) % 256}.${index % 256}`)
        }
      })
  },
  {
    name: "Role rules",
    request: (size) =>
      post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", {
        metadata: { name: NAME },
        rules: each(size, (index) => ({ apiGroups: [""], resources: [`r${index}`], verbs: ["get"] }))
      })
  },
  {
    name: "Role resource names",
    request: (size) =>
      post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", {
        metadata: { name: NAME },
        rules: [
          { apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: each(size, (index) => `n${index}`) }
        ]
      })
  },
  {
    name: "RoleBinding subjects",
    request: (size) =>
      post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
        metadata: { name: NAME },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: each(size, (index) => ({ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: `u${index}` }))
      })
  },
  {
    name: "EndpointSlice endpoints",
    request: (size) =>
      post("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
        metadata: { name: NAME },
        addressType: "IPv4",
        ports: each(size, (index) => ({ name: `p${index}`, port: 80 })),
        endpoints: each(size, (index) => ({ addresses: [`10.0.${(index >> 8) % 256}.${index % 256}`] }))
      })
  },
  {
    name: "CSINode drivers",
    request: (size) =>
      post("/apis/storage.k8s.io/v1/csinodes", {
        metadata: { name: NAME },
        spec: { drivers: named(size, { nodeID: "n", topologyKeys: ["a", "b"] }) }
      })
  },
  {
    name: "CSINode topology keys",
    request: (size) =>
      post("/apis/storage.k8s.io/v1/csinodes", {
        metadata: { name: NAME },
        spec: { drivers: [{ name: "d", nodeID: "n", topologyKeys: each(size, (index) => `k${index}`) }] }
      })
  },
  {
    name: "Deployment selector values",
    request: (size) =>
      post("/apis/apps/v1/namespaces/default/deployments", {
        metadata: { name: NAME },
        spec: {
          selector: {
            matchLabels: { a: "v1" },
            matchExpressions: [{ key: "a", operator: "In", values: each(size, (index) => `v${index}`) }]
          },
          template: { metadata: { labels: { a: "v1" } }, spec: POD }
        }
      })
  },
  {
    name: "StorageClass parameters",
    request: (size) =>
      post("/apis/storage.k8s.io/v1/storageclasses", {
        metadata: { name: NAME },
        provisioner: "p",
        parameters: entries(size, () => "v")
      })
  },
  {
    name: "SubjectAccessReview groups",
    request: (size) =>
      post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        spec: {
          user: "u",
          groups: each(size, (index) => `g${index}`),
          resourceAttributes: { verb: "get", resource: "pods", namespace: "default" }
        }
      })
  },
  {
    name: "delete options, dryRun values",
    before: () => stored(configMap()),
    request: (size) => ({
      method: "DELETE",
      path: ITEM,
      contentType: JSON_TYPE,
      body: JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", dryRun: each(size, () => "All") })
    })
  },
  {
    name: "delete of an object with many finalizers",
    before: (size) => stored(configMap({}, { finalizers: finalizers(size) })),
    request: () => remove(`${ITEM}?propagationPolicy=Foreground&dryRun=All`)
  },
  {
    name: "label selector, values",
    before: () =>
      each(20, (index) => create(`${CORE}/configmaps`, configMap({}, { name: `s${index}`, labels: { a: "z" } }))),
    request: (size) => ({
      method: "GET",
      path: `${CORE}/configmaps?labelSelector=a+in+(${each(size, (i) => `v${i}`).join()})`
    })
  },
  {
    name: "label selector, requirements",
    request: (size) => ({
      method: "GET",
      path: `${CORE}/configmaps?labelSelector=${each(size, (i) => `!k${i}`).join()}`
    })
  },
  {
    name: "label selector, brackets",
    request: (size) => ({ method: "GET", path: `${CORE}/configmaps?labelSelector=a${"(".repeat(size * 4)}` })
  },
  {
    name: "field selector, terms",
    request: (size) => ({
      method: "GET",
      path: `${CORE}/configmaps?fieldSelector=${each(size, (i) => `metadata.name!=n${i}`).join()}`
    })
  },
  {
    name: "continue token",
    request: (size) => ({ method: "GET", path: `${CORE}/configmaps?limit=1&continue=${"e30A".repeat(size)}` })
  }
]

const operations = (size: number, make: (index: number) => Json) => each(Math.min(size, 10_000), make)

const jsonPatch = (
  name: string,
  before: (size: number) => Json,
  make: (size: number) => (index: number) => Json
): Body => ({
  name: `JSON patch ${name}`,
  from: 600,
  before: (size) => stored(before(size)),
  request: (size) => patch(`${ITEM}?dryRun=All`, "json-patch+json", operations(size, make(size)))
})

const wide = (size: number) => configMap({ data: entries(size, () => "y") })
/** JSON patches have 10,000 operations at most, whatever they change. */
const wider = (size: number) => wide(size * 3)
const long = (size: number) => configMap({ data: {} }, { finalizers: finalizers(size * 3) })

const patches: ReadonlyArray<Body> = [
  jsonPatch("add", wider, () => (index) => ({ op: "add", path: `/data/new-${index}`, value: "x" })),
  jsonPatch("remove", wider, () => (index) => ({ op: "remove", path: `/data/key-${index}` })),
  jsonPatch("replace", wider, () => (index) => ({ op: "replace", path: `/data/key-${index}`, value: "x" })),
  jsonPatch("test", wider, () => (index) => ({ op: "test", path: `/data/key-${index}`, value: `value ${index}` })),
  jsonPatch("test of the map", wider, () => () => ({ op: "test", path: "/data", value: null })),
  jsonPatch("copy", wider, () => (index) => ({ op: "copy", from: `/data/key-${index}`, path: `/data/new-${index}` })),
  jsonPatch("move", wider, () => (index) => ({ op: "move", from: `/data/key-${index}`, path: `/data/new-${index}` })),
  jsonPatch("insert at 0", long, () => (index) => ({
    op: "add",
    path: "/metadata/finalizers/0",
    value: `example.com/n${index}`
  })),
  jsonPatch("remove at 0", long, () => () => ({ op: "remove", path: "/metadata/finalizers/0" })),
  jsonPatch("move to 0", long, (size) => () => ({
    op: "move",
    from: `/metadata/finalizers/${size}`,
    path: "/metadata/finalizers/0"
  })),
  {
    name: "JSON patch copies that double",
    from: 10,
    before: () => stored(configMap({ data: { a: "x" } })),
    request: (size) =>
      patch(
        `${ITEM}?dryRun=All`,
        "json-patch+json",
        each(Math.min(size, 40), (index) => ({ op: "copy", from: "/data", path: `/data/k${index}` }))
      )
  },
  {
    name: "JSON patch depth by adding",
    before: () => stored(configMap({ data: { a: "x" } })),
    request: (size) =>
      patch(
        `${ITEM}?dryRun=All`,
        "json-patch+json",
        operations(size, () => ({ op: "add", path: "/data", value: {} })).concat(
          operations(Math.min(size, 2000), (index) => ({
            op: "add",
            path: `/data${"/a".repeat(index % 900)}`,
            value: {}
          }))
        )
      )
  },
  {
    name: "merge patch keys",
    before: (size) => stored(wide(size)),
    request: (size) => patch(`${ITEM}?dryRun=All`, "merge-patch+json", { data: entries(size, () => "x") })
  },
  {
    name: "merge patch removals",
    before: (size) => stored(wide(size)),
    request: (size) => patch(`${ITEM}?dryRun=All`, "merge-patch+json", { data: entries(size, () => null) })
  },
  {
    name: "merge patch depth",
    before: () => stored(configMap()),
    request: (size) => patch(`${ITEM}?dryRun=All`, "merge-patch+json", nested(size * 8, '{"a":', "}"))
  },
  {
    name: "strategic patch keys",
    before: (size) => stored(wide(size)),
    request: (size) => patch(`${ITEM}?dryRun=All`, "strategic-merge-patch+json", { data: entries(size, () => "x") })
  },
  {
    name: "strategic patch finalizers, in order",
    before: (size) => stored(configMap({}, { finalizers: finalizers(size) })),
    request: (size) =>
      patch(`${ITEM}?dryRun=All`, "strategic-merge-patch+json", {
        metadata: { "$setElementOrder/finalizers": finalizers(size).toReversed(), finalizers: [] }
      })
  },
  {
    name: "strategic patch finalizers, removed",
    before: (size) => stored(configMap({}, { finalizers: finalizers(size) })),
    request: (size) =>
      patch(`${ITEM}?dryRun=All`, "strategic-merge-patch+json", {
        metadata: { "$deleteFromPrimitiveList/finalizers": finalizers(size) }
      })
  },
  {
    name: "strategic patch owners, new and known",
    before: (size) => stored(configMap({}, { ownerReferences: owners(size) })),
    request: (size) =>
      patch(`${ITEM}?dryRun=All`, "strategic-merge-patch+json", {
        metadata: { ownerReferences: each(size, (index) => owner(index * 2)) }
      })
  },
  {
    name: "strategic patch owners, removed",
    before: (size) => stored(configMap({}, { ownerReferences: owners(size) })),
    request: (size) =>
      patch(`${ITEM}?dryRun=All`, "strategic-merge-patch+json", {
        metadata: { ownerReferences: each(size, (index) => ({ $patch: "delete", uid: `uid-${index}` })) }
      })
  },
  {
    name: "strategic patch retained keys",
    before: (size) => stored(wide(size)),
    request: (size) =>
      patch(`${ITEM}?dryRun=All`, "strategic-merge-patch+json", {
        data: { $retainKeys: each(size, (index) => `key-${index}`) }
      })
  }
]

const applies: ReadonlyArray<Body> = [
  {
    name: "apply of keys",
    request: (size) =>
      patch(`${CORE}/configmaps/new?fieldManager=m&dryRun=All`, "apply-patch+yaml", {
        ...configMap({ data: entries(size, () => "x") }, { name: "new" })
      })
  },
  {
    name: "apply over what others own, a conflict",
    before: (size) => stored(configMap({ data: entries(size, () => "y") })),
    request: (size) =>
      patch(`${ITEM}?fieldManager=m&dryRun=All`, "apply-patch+yaml", configMap({ data: entries(size, () => "x") }))
  },
  {
    name: "apply again, half of the keys",
    before: (size) => [
      ...removed,
      patch(`${ITEM}?fieldManager=m`, "apply-patch+yaml", configMap({ data: entries(size, () => "y") }))
    ],
    request: (size) =>
      patch(`${ITEM}?fieldManager=m&dryRun=All`, "apply-patch+yaml", configMap({ data: entries(size / 2, () => "y") }))
  },
  {
    name: "apply over last-applied-configuration",
    before: (size) =>
      stored(
        configMap(
          { data: entries(size, () => "y") },
          {
            annotations: {
              "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(
                configMap({ data: entries(Math.min(size, 8000), () => "y") })
              )
            }
          }
        )
      ),
    request: (size) =>
      patch(
        `${ITEM}?fieldManager=kubectl&dryRun=All`,
        "apply-patch+yaml",
        configMap({ data: entries(size, () => "x") })
      )
  },
  {
    name: "apply of finalizers and owners",
    before: (size) => stored(configMap({}, { finalizers: finalizers(size), ownerReferences: owners(size) })),
    request: (size) =>
      patch(
        `${ITEM}?fieldManager=m&force=true&dryRun=All`,
        "apply-patch+yaml",
        configMap({}, { finalizers: finalizers(size).toReversed(), ownerReferences: owners(size).toReversed() })
      )
  },
  {
    name: "update of keys",
    before: (size) => stored(wide(size)),
    request: (size) => ({
      method: "PUT",
      path: `${ITEM}?dryRun=All`,
      contentType: JSON_TYPE,
      body: JSON.stringify(configMap({ data: entries(size, () => "x") }))
    })
  }
]

const YAML_TYPE = "application/yaml"
const HEAD = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${NAME}\n`
const yamlOf = (name: string, body: (size: number) => string): Body => ({
  name: `YAML ${name}`,
  request: (size) => post(`${CORE}/configmaps`, body(size), YAML_TYPE)
})

const yamls: ReadonlyArray<Body> = [
  yamlOf("keys", (size) => `${HEAD}data:\n${each(size, (index) => `  key-${index}: value ${index}\n`).join("")}`),
  yamlOf(
    "quoted keys",
    (size) => `${HEAD}data:\n${each(size, (index) => `  "key-${index}": "value ${index}"\n`).join("")}`
  ),
  yamlOf("doubled keys", (size) => `${HEAD}data:\n${each(size, () => "  key: value\n").join("")}`),
  yamlOf("long scalar", (size) => `${HEAD}data:\n  key: |\n${each(size, (index) => `    line ${index}\n`).join("")}`),
  yamlOf(
    "long plain scalar",
    (size) => `${HEAD}data:\n  key:\n${each(size, (index) => `    line ${index}\n`).join("")}`
  ),
  yamlOf("comments", (size) => `${each(size, (index) => `# comment ${index}\n`).join("")}${HEAD}`),
  yamlOf("documents", (size) => each(size, () => `---\n${HEAD}`).join("")),
  yamlOf("aliases of one anchor", (size) => `${HEAD}a: &a x\nb: [${each(size, () => "*a").join()}]\n`),
  yamlOf(
    "aliases of a long text",
    (size) => `${HEAD}a: &a ${"x".repeat(size * 10)}\nb: [${each(size, () => "*a").join()}]\n`
  ),
  yamlOf("aliases of aliases", (size) => {
    const levels = each(
      Math.min(size, 400),
      (index) => `l${index + 1}: &l${index + 1} [*l${index},*l${index},*l${index}]\n`
    )
    return `${HEAD}l0: &l0 [x]\n${levels.join("")}`
  }),
  yamlOf(
    "merge keys",
    (size) => `${HEAD}a: &a {${each(size, (i) => `k${i}: 1`).join()}}\nb:\n${each(size, () => "- <<: *a\n").join("")}`
  ),
  yamlOf("flow sequence", (size) => `${HEAD}data: [${each(size, (index) => `v${index}`).join(", ")}]\n`),
  yamlOf("flow sequence, unclosed", (size) => `${HEAD}data: [${each(size, (index) => `v${index}`).join(", ")}\n`),
  yamlOf("brackets", (size) => "[".repeat(size * 8)),
  yamlOf("braces", (size) => "{a: ".repeat(size * 2)),
  yamlOf("dashes", (size) => "- ".repeat(size * 4)),
  yamlOf("question marks", (size) => "? ".repeat(size * 4)),
  yamlOf("quotes, unclosed", (size) => `a: "${"b ".repeat(size * 4)}`),
  yamlOf("quotes, unclosed, lines", (size) => `a: "${"b\n  ".repeat(size * 2)}`),
  yamlOf("tabs", (size) => `a:${"\t".repeat(size * 8)}b`),
  yamlOf("blanks", (size) => `a:${" ".repeat(size * 8)}\n${" ".repeat(size * 8)}b`),
  yamlOf("empty lines", (size) => `a:${"\n".repeat(size * 8)}  b`),
  yamlOf("long line", (size) => `${HEAD}data: {key: ${"x".repeat(size * 10)}}\n`),
  yamlOf("anchors", (size) => each(size, (index) => `k${index}: &a${index} v\n`).join("")),
  yamlOf("tags", (size) => each(size, (index) => `k${index}: !!str v\n`).join("")),
  yamlOf("keys of keys", (size) => `a: ${each(size, () => "b").join(" : ")}`),
  yamlOf("flow pairs", (size) => `[${"a: ".repeat(size)}]`),
  yamlOf("nested flow, lines", (size) => `${"[\n".repeat(Math.min(size, 400))}${each(size, () => "a,\n").join("")}`),
  yamlOf("JSON", (size) => JSON.stringify(configMap({ data: entries(size, () => "x") }))),
  {
    name: "YAML answer",
    before: (size) => stored(wide(size)),
    request: () => ({ method: "GET", path: ITEM, accept: YAML_TYPE })
  }
]

const varint = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))]
const field = (number: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(content.length)]), content])
const text = (number: number, value: string) => field(number, Buffer.from(value))
const enveloped = (kind: string, raw: Uint8Array): Uint8Array =>
  Buffer.concat([
    Buffer.from([0x6b, 0x38, 0x73, 0]),
    field(1, Buffer.concat([text(1, "v1"), text(2, kind)])),
    field(2, raw)
  ])
const protobufOf = (name: string, raw: (size: number) => Uint8Array): Body => ({
  name: `protobuf ${name}`,
  request: (size) =>
    post(`${CORE}/configmaps`, enveloped("ConfigMap", raw(size)), "application/vnd.kubernetes.protobuf")
})
const meta = field(1, text(1, NAME))

const protobufs: ReadonlyArray<Body> = [
  protobufOf("keys", (size) =>
    Buffer.concat([meta, ...each(size, (index) => field(2, Buffer.concat([text(1, `key-${index}`), text(2, "v")])))])
  ),
  protobufOf("metadata many times", (size) => Buffer.concat(each(size, () => meta))),
  protobufOf("unknown fields", (size) => Buffer.concat([meta, ...each(size, () => text(99, "x"))])),
  protobufOf("groups", (size) => Buffer.concat([meta, Buffer.alloc(size * 8, 0x9b)])),
  {
    name: "protobuf answer",
    before: (size) => stored(wide(size)),
    request: () => ({ method: "GET", path: ITEM, accept: "application/vnd.kubernetes.protobuf" })
  },
  {
    name: "Table answer of one object",
    before: (size) => stored(wide(size)),
    request: () => ({ method: "GET", path: ITEM, accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })
  },
  {
    name: "protobuf create of keys, JSON answer, stored",
    before: () => removed,
    request: (size) => ({
      method: "POST",
      path: `${CORE}/configmaps`,
      contentType: "application/vnd.kubernetes.protobuf",
      body: enveloped(
        "ConfigMap",
        Buffer.concat([
          meta,
          ...each(size, (index) => field(2, Buffer.concat([text(1, `key-${index}`), text(2, "v")])))
        ])
      )
    })
  }
]

/** Every kind of body, query or header by which a client chooses how much there is to do. */
export const bodies: ReadonlyArray<Body> = [
  ...configMaps,
  ...pods,
  ...others,
  ...patches,
  ...applies,
  ...yamls,
  ...protobufs
]
