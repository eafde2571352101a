import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, Status } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"
import { lease, node, pod } from "../core/testServer.ts"
import { kubelet, makeSecuredTestServer, person, type SecuredTestServer } from "./securedTestServer.ts"

/** Two nodes with a pod each, and what these make use of. */
const makeServerWithTwoNodes = (): SecuredTestServer => {
  const testServer = makeSecuredTestServer()
  const { create } = testServer
  const named = (apiVersion: string, kind: string, name: string, namespace: string, rest: object = {}) => ({
    apiVersion,
    kind,
    metadata: { name, ...(namespace === "" ? {} : { namespace }) },
    ...rest
  })
  for (const name of ["default", "other"]) create("ServiceAccount", named("v1", "ServiceAccount", name, "default"))
  for (const name of ["mine", "other"]) {
    create("Secret", named("v1", "Secret", name, "default"))
    create("ConfigMap", named("v1", "ConfigMap", name, "default"))
  }
  for (const name of ["n1", "n2"]) {
    create("Node", node(name, { spec: { taints: [{ key: "dedicated", effect: "NoSchedule" }] } }))
    create("Lease", lease(name))
    create("CSINode", named("storage.k8s.io/v1", "CSINode", name, "", { spec: { drivers: [] } }))
  }
  const uses = (secret: string) => [
    { name: "s", secret: { secretName: secret } },
    { name: "c", configMap: { name: secret } }
  ]
  create("Pod", pod("p1", { nodeName: "n1", volumes: uses("mine") }, { labels: { app: "a" } }))
  create("Pod", pod("p2", { nodeName: "n2", volumes: uses("other"), serviceAccountName: "other" }))
  create("Pod", pod("waiting"))
  return testServer
}

const kubeletN1 = kubelet("n1")
const anonymous = { user: "system:anonymous", groups: ["system:unauthenticated"] }

const merge = (kind: ApiRequest["kind"], name: string, body: object, more: object = {}): ApiRequest =>
  ({ verb: "patch", kind, name, patchType: "merge", body, ...more }) as ApiRequest
const status = { subresource: "status" }
const inDefault = { namespace: "default" }
const leases = { namespace: "kube-node-lease" }
const labels = (given: Readonly<Record<string, string | null>>) => ({ metadata: { labels: given } })

const forbiddenMessage = (verb: string, resource: string, where: string, group = "", who = "system:node:n1") =>
  `User "${who}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`
const AT_CLUSTER = "at the cluster scope"
const IN_DEFAULT = `in the namespace "default"`
const nodeLeases = `in the namespace "kube-node-lease"`
const noRelationship = "no relationship found between node 'n1' and this object"
const onlyOwnNode = `node "n1" is not allowed to modify node "n2"`
const onlyOwnPods = "with spec.nodeName set to itself"

const mirrorPod = (metadata: object = {}, spec: object = {}) =>
  pod("static-n1", { nodeName: "n1", ...spec }, { annotations: { "kubernetes.io/config.mirror": "h" }, ...metadata })
const ownerReferencesTo = (testServer: SecuredTestServer, more: object = {}) => ({
  ownerReferences: [
    {
      apiVersion: "v1",
      kind: "Node",
      name: "n1",
      uid: testServer.get("Node", "n1")?.metadata.uid,
      controller: true,
      ...more
    }
  ]
})

type Denial = readonly [
  name: string,
  request: ApiRequest | ((testServer: SecuredTestServer) => ApiRequest),
  message: string
]

const createPod = (object: unknown): ApiRequest => ({ verb: "create", kind: "Pod", namespace: "default", object })

const denials: ReadonlyArray<Denial> = [
  // Other nodes.
  [
    "reads another node",
    { verb: "get", kind: "Node", name: "n2" },
    `nodes "n2" is forbidden: ${forbiddenMessage("get", "nodes", AT_CLUSTER)}: node 'n1' cannot read 'n2', only its own Node object`
  ],
  [
    "lists all nodes",
    { verb: "list", kind: "Node" },
    `nodes is forbidden: ${forbiddenMessage("list", "nodes", AT_CLUSTER)}: node 'n1' cannot read all nodes, only its own Node object`
  ],
  [
    "lists another node by field",
    { verb: "list", kind: "Node", fieldSelector: "metadata.name=n2" },
    `nodes "n2" is forbidden: ${forbiddenMessage("list", "nodes", AT_CLUSTER)}: node 'n1' cannot read 'n2', only its own Node object`
  ],
  [
    "registers another node",
    { verb: "create", kind: "Node", object: node("n3") },
    `nodes "n3" is forbidden: node "n1" is not allowed to modify node "n3"`
  ],
  [
    "cordons another node",
    merge("Node", "n2", { spec: { unschedulable: true } }),
    `nodes "n2" is forbidden: ${onlyOwnNode}`
  ],
  ["labels another node", merge("Node", "n2", labels({ a: "b" })), `nodes "n2" is forbidden: ${onlyOwnNode}`],
  [
    "writes another node's status",
    merge("Node", "n2", { status: { capacity: { cpu: "1" } } }, status),
    `nodes "n2" is forbidden: ${onlyOwnNode}`
  ],
  [
    "deletes another node",
    { verb: "delete", kind: "Node", name: "n2" },
    `nodes "n2" is forbidden: ${forbiddenMessage("delete", "nodes", AT_CLUSTER)}`
  ],
  [
    "deletes its own node",
    { verb: "delete", kind: "Node", name: "n1" },
    `nodes "n1" is forbidden: ${forbiddenMessage("delete", "nodes", AT_CLUSTER)}`
  ],
  [
    "deletes all nodes",
    { verb: "deletecollection", kind: "Node" },
    `nodes is forbidden: ${forbiddenMessage("deletecollection", "nodes", AT_CLUSTER)}`
  ],
  // Its own Node, and what is not its to say of it.
  [
    "taints itself",
    merge("Node", "n1", { spec: { taints: [{ key: "a", effect: "NoExecute" }] } }),
    `nodes "n1" is forbidden: node "n1" is not allowed to modify taints`
  ],
  [
    "removes its taints",
    merge("Node", "n1", { spec: { taints: null } }),
    `nodes "n1" is forbidden: node "n1" is not allowed to modify taints`
  ],
  [
    "removes its taints by way of the status",
    merge("Node", "n1", { spec: { taints: null } }, status),
    `nodes "n1" is forbidden: node "n1" is not allowed to modify taints`
  ],
  [
    "gives itself a role",
    merge("Node", "n1", labels({ "node-role.kubernetes.io/control-plane": "" })),
    `nodes "n1" is forbidden: is not allowed to modify labels: node-role.kubernetes.io/control-plane`
  ],
  [
    "gives itself a restricted label",
    merge("Node", "n1", labels({ "node-restriction.kubernetes.io/pci": "yes" })),
    `nodes "n1" is forbidden: is not allowed to modify labels: node-restriction.kubernetes.io/pci`
  ],
  [
    "labels itself by way of the status",
    merge("Node", "n1", labels({ "a.k8s.io/b": "c" }), status),
    `nodes "n1" is forbidden: is not allowed to modify labels: a.k8s.io/b`
  ],
  [
    "gives itself several labels",
    merge("Node", "n1", labels({ "z.kubernetes.io/a": "1", "a.k8s.io/b": "2", fine: "3" })),
    `nodes "n1" is forbidden: is not allowed to modify labels: a.k8s.io/b, z.kubernetes.io/a`
  ],
  [
    "gives itself an owner",
    merge("Node", "n1", { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "x", uid: "u" }] } }),
    `nodes "n1" is forbidden: node "n1" is not allowed to modify ownerReferences`
  ],
  [
    "configures itself from a map",
    merge("Node", "n1", {
      spec: { configSource: { configMap: { name: "x", namespace: "y", kubeletConfigKey: "z" } } }
    }),
    `nodes "n1" is forbidden: node "n1" is not allowed to update configSource to a new non-nil configSource`
  ],
  // Pods.
  [
    "reads another node's pod",
    { verb: "get", kind: "Pod", name: "p2", ...inDefault },
    `pods "p2" is forbidden: ${forbiddenMessage("get", "pods", IN_DEFAULT)}: ${noRelationship}`
  ],
  [
    "reads a pod of no node",
    { verb: "get", kind: "Pod", name: "waiting", ...inDefault },
    `pods "waiting" is forbidden: ${forbiddenMessage("get", "pods", IN_DEFAULT)}: ${noRelationship}`
  ],
  [
    "lists all pods",
    { verb: "list", kind: "Pod" },
    `pods is forbidden: ${forbiddenMessage("list", "pods", AT_CLUSTER)}: can only list/watch pods with spec.nodeName field selector`
  ],
  [
    "lists another node's pods",
    { verb: "list", kind: "Pod", fieldSelector: "spec.nodeName=n2" },
    `pods is forbidden: ${forbiddenMessage("list", "pods", AT_CLUSTER)}: can only list/watch pods with spec.nodeName field selector`
  ],
  [
    "lists all pods but those of a node",
    { verb: "list", kind: "Pod", fieldSelector: "spec.nodeName!=n1" },
    `pods is forbidden: ${forbiddenMessage("list", "pods", AT_CLUSTER)}: can only list/watch pods with spec.nodeName field selector`
  ],
  [
    "writes the status of another node's pod",
    merge("Pod", "p2", { status: { phase: "Failed" } }, { ...inDefault, ...status }),
    `pods "p2" is forbidden: node "n1" can only update pod status for pods ${onlyOwnPods}`
  ],
  [
    "labels its pod by way of the status",
    merge("Pod", "p1", labels({ a: "b" }), { ...inDefault, ...status }),
    `pods "p1" is forbidden: node "n1" cannot update labels through pod status`
  ],
  [
    "removes its pod's labels by way of the status",
    merge("Pod", "p1", labels({ app: null }), { ...inDefault, ...status }),
    `pods "p1" is forbidden: node "n1" cannot update labels through pod status`
  ],
  [
    "changes its pod",
    merge("Pod", "p1", { spec: { activeDeadlineSeconds: 1 } }, inDefault),
    `pods "p1" is forbidden: ${forbiddenMessage("patch", "pods", IN_DEFAULT)}`
  ],
  [
    "deletes another node's pod",
    { verb: "delete", kind: "Pod", name: "p2", ...inDefault },
    `pods "p2" is forbidden: node "n1" can only delete pods ${onlyOwnPods}`
  ],
  [
    "deletes all pods",
    { verb: "deletecollection", kind: "Pod", ...inDefault },
    `pods is forbidden: ${forbiddenMessage("deletecollection", "pods", IN_DEFAULT)}`
  ],
  [
    "evicts another node's pod",
    {
      verb: "create",
      kind: "Pod",
      name: "p2",
      subresource: "eviction",
      ...inDefault,
      object: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p2" } }
    },
    `pods "p2" is forbidden: node n1 can only evict pods ${onlyOwnPods}`
  ],
  [
    "binds a pod to itself",
    {
      verb: "create",
      kind: "Pod",
      name: "waiting",
      subresource: "binding",
      ...inDefault,
      object: { apiVersion: "v1", kind: "Binding", metadata: { name: "waiting" }, target: { name: "n1" } }
    },
    `pods "waiting" is forbidden: ${forbiddenMessage("create", "pods/binding", IN_DEFAULT)}`
  ],
  // Mirror pods.
  [
    "creates a pod that is no mirror",
    createPod(pod("x", { nodeName: "n1" })),
    `pods "x" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods`
  ],
  [
    "creates a mirror pod of another node",
    createPod(mirrorPod({}, { nodeName: "n2" })),
    `pods "static-n1" is forbidden: node "n1" can only create pods ${onlyOwnPods}`
  ],
  [
    "creates a mirror pod that nobody owns",
    createPod(mirrorPod()),
    `pods "static-n1" is forbidden: node "n1" can only create pods with an owner reference set to itself`
  ],
  [
    "creates a mirror pod of an earlier self",
    (testServer) => createPod(mirrorPod(ownerReferencesTo(testServer, { uid: "old" }))),
    `pods "static-n1" is forbidden: node n1 UID mismatch: expected old got <uid>`
  ],
  [
    "creates a mirror pod that it does not control",
    (testServer) => createPod(mirrorPod(ownerReferencesTo(testServer, { controller: false }))),
    `pods "static-n1" is forbidden: node "n1" can only create pods with a controller owner reference set to itself`
  ],
  [
    "creates a mirror pod that keeps its node from going",
    (testServer) => createPod(mirrorPod(ownerReferencesTo(testServer, { blockOwnerDeletion: true }))),
    `pods "static-n1" is forbidden: node "n1" must not set blockOwnerDeletion on an owner reference`
  ],
  [
    "reaches for a secret by a mirror pod",
    (testServer) =>
      createPod(
        mirrorPod(ownerReferencesTo(testServer), { volumes: [{ name: "s", secret: { secretName: "other" } }] })
      ),
    `pods "static-n1" is forbidden: a mirror pod may not reference secrets`
  ],
  [
    "reaches for a config map by a mirror pod",
    (testServer) =>
      createPod(mirrorPod(ownerReferencesTo(testServer), { volumes: [{ name: "c", configMap: { name: "other" } }] })),
    `pods "static-n1" is forbidden: node "n1" can not create pods that reference configmaps`
  ],
  [
    "reaches for a claim by a mirror pod",
    (testServer) =>
      createPod(
        mirrorPod(ownerReferencesTo(testServer), {
          volumes: [{ name: "c", persistentVolumeClaim: { claimName: "x" } }]
        })
      ),
    `pods "static-n1" is forbidden: node "n1" can not create pods that reference persistentvolumeclaims`
  ],
  [
    "reaches for an account by a mirror pod",
    (testServer) => createPod(mirrorPod(ownerReferencesTo(testServer), { serviceAccountName: "other" })),
    `pods "static-n1" is forbidden: a mirror pod may not reference service accounts`
  ],
  // What pods make use of.
  [
    "reads another pod's secret",
    { verb: "get", kind: "Secret", name: "other", ...inDefault },
    `secrets "other" is forbidden: ${forbiddenMessage("get", "secrets", IN_DEFAULT)}: ${noRelationship}`
  ],
  [
    "lists secrets",
    { verb: "list", kind: "Secret", ...inDefault },
    `secrets is forbidden: ${forbiddenMessage("list", "secrets", IN_DEFAULT)}: No Object name found`
  ],
  [
    "lists secrets of all namespaces",
    { verb: "list", kind: "Secret" },
    `secrets is forbidden: ${forbiddenMessage("list", "secrets", AT_CLUSTER)}: can only read namespaced object of this type`
  ],
  [
    "writes its pod's secret",
    merge("Secret", "mine", { data: {} }, inDefault),
    `secrets "mine" is forbidden: ${forbiddenMessage("patch", "secrets", IN_DEFAULT)}: can only read resources of this type`
  ],
  [
    "reads another pod's config map",
    { verb: "get", kind: "ConfigMap", name: "other", ...inDefault },
    `configmaps "other" is forbidden: ${forbiddenMessage("get", "configmaps", IN_DEFAULT)}: ${noRelationship}`
  ],
  [
    "deletes its pod's config map",
    { verb: "delete", kind: "ConfigMap", name: "mine", ...inDefault },
    `configmaps "mine" is forbidden: ${forbiddenMessage("delete", "configmaps", IN_DEFAULT)}: can only read resources of this type`
  ],
  [
    "reads another pod's account",
    { verb: "get", kind: "ServiceAccount", name: "other", ...inDefault },
    `serviceaccounts "other" is forbidden: ${forbiddenMessage("get", "serviceaccounts", IN_DEFAULT)}: ${noRelationship}`
  ],
  [
    "lists accounts",
    { verb: "list", kind: "ServiceAccount", ...inDefault },
    `serviceaccounts is forbidden: ${forbiddenMessage("list", "serviceaccounts", IN_DEFAULT)}: can only create tokens for individual service accounts`
  ],
  [
    "reads a volume of nobody's",
    { verb: "get", kind: "PersistentVolume", name: "pv" },
    `persistentvolumes "pv" is forbidden: ${forbiddenMessage("get", "persistentvolumes", AT_CLUSTER)}: ${noRelationship}`
  ],
  [
    "lists claims",
    { verb: "list", kind: "PersistentVolumeClaim", ...inDefault },
    `persistentvolumeclaims is forbidden: ${forbiddenMessage("list", "persistentvolumeclaims", IN_DEFAULT)}: can only get individual resources of this type`
  ],
  [
    "attaches a volume",
    { verb: "create", kind: "VolumeAttachment", object: {} },
    `volumeattachments.storage.k8s.io is forbidden: ${forbiddenMessage("create", "volumeattachments", AT_CLUSTER, "storage.k8s.io")}: can only get individual resources of this type`
  ],
  // Leases and CSINodes.
  [
    "renews another node's lease",
    merge("Lease", "n2", { spec: { leaseDurationSeconds: 1 } }, leases),
    `leases.coordination.k8s.io "n2" is forbidden: ${forbiddenMessage("patch", "leases", nodeLeases, "coordination.k8s.io")}: can only access node lease with the same name as the requesting node`
  ],
  [
    "deletes another node's lease",
    { verb: "delete", kind: "Lease", name: "n2", ...leases },
    `leases.coordination.k8s.io "n2" is forbidden: ${forbiddenMessage("delete", "leases", nodeLeases, "coordination.k8s.io")}: can only access node lease with the same name as the requesting node`
  ],
  [
    "creates a lease for another",
    { verb: "create", kind: "Lease", ...leases, object: lease("n3") },
    `leases.coordination.k8s.io "n3" is forbidden: can only access node lease with the same name as the requesting node`
  ],
  [
    "takes a leader's lease",
    { verb: "get", kind: "Lease", name: "kube-scheduler", namespace: "kube-system" },
    `leases.coordination.k8s.io "kube-scheduler" is forbidden: ${forbiddenMessage("get", "leases", `in the namespace "kube-system"`, "coordination.k8s.io")}: can only access leases in the "kube-node-lease" system namespace`
  ],
  [
    "lists leases",
    { verb: "list", kind: "Lease", ...leases },
    `leases.coordination.k8s.io is forbidden: ${forbiddenMessage("list", "leases", nodeLeases, "coordination.k8s.io")}: can only get, create, update, patch, or delete a node lease`
  ],
  [
    "reads another's CSINode",
    { verb: "get", kind: "CSINode", name: "n2" },
    `csinodes.storage.k8s.io "n2" is forbidden: ${forbiddenMessage("get", "csinodes", AT_CLUSTER, "storage.k8s.io")}: can only access CSINode with the same name as the requesting node`
  ],
  [
    "creates another's CSINode",
    {
      verb: "create",
      kind: "CSINode",
      object: { apiVersion: "storage.k8s.io/v1", kind: "CSINode", metadata: { name: "n3" }, spec: { drivers: [] } }
    },
    `csinodes.storage.k8s.io "n3" is forbidden: can only access CSINode with the same name as the requesting node`
  ],
  // Everything else.
  [
    "lists namespaces",
    { verb: "list", kind: "Namespace" },
    `namespaces is forbidden: ${forbiddenMessage("list", "namespaces", AT_CLUSTER)}`
  ],
  [
    "lists deployments",
    { verb: "list", kind: "Deployment", ...inDefault },
    `deployments.apps is forbidden: ${forbiddenMessage("list", "deployments", IN_DEFAULT, "apps")}`
  ],
  [
    "gives itself everything",
    { verb: "create", kind: "ClusterRoleBinding", object: {} },
    `clusterrolebindings.rbac.authorization.k8s.io is forbidden: ${forbiddenMessage("create", "clusterrolebindings", AT_CLUSTER, "rbac.authorization.k8s.io")}`
  ]
]

const messageOf = (answer: KubeObject | Status): string => {
  const { code, message = "", reason } = answer as Status
  assert.deepStrictEqual([code, reason], [403, "Forbidden"], JSON.stringify(answer))
  return message
}

describe("a kubelet is refused when it", () => {
  const testServer = makeServerWithTwoNodes()
  const uid = testServer.get("Node", "n1")?.metadata.uid ?? ""
  it("makes any of at least forty requests", () => assert.isAtLeast(denials.length, 40))
  for (const [name, request, message] of denials) {
    it(name, () => {
      const before = testServer.server.revision()
      const answer = testServer.as(kubeletN1, typeof request === "function" ? request(testServer) : request)
      assert.strictEqual(messageOf(answer).replace(uid, "<uid>"), message)
      assert.strictEqual(testServer.server.revision(), before)
    })
  }
})

describe("a kubelet's token requests", () => {
  const testServer = makeServerWithTwoNodes()
  const uidOf = (name: string) => testServer.get("Pod", name)?.metadata.uid
  const ask = (spec: object, account = "default") =>
    testServer.review(kubeletN1, "TokenRequest", { spec }, { namespace: "default", name: account })
  const bound = (name: string, more: object = {}) => ({
    audiences: [] as ReadonlyArray<string>,
    boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid: uidOf(name) ?? "", ...more }
  })
  const refused: ReadonlyArray<readonly [object, string]> = [
    [{ audiences: [] }, "node requested token not bound to a pod"],
    [bound("p1", { kind: "Node" }), "node requested token not bound to a pod"],
    [bound("p1", { uid: "" }), "node requested token with a pod binding without a uid"],
    [
      bound("p1", { uid: "x" }),
      "the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated"
    ],
    [bound("p2"), "node requested token bound to a pod scheduled on a different node"],
    [
      { ...bound("p1"), audiences: ["vault"] },
      `audience "vault" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience`
    ],
    [{ ...bound("p1"), audiences: ["a", "b"] }, "node may only request 0 or 1 audiences"]
  ]
  it.each(refused)("are refused: %j", (spec, why) => {
    assert.strictEqual(messageOf(ask(spec)), `serviceaccounts "default" is forbidden: ${why}`)
  })
  it("are refused for another pod's account", () => {
    const message = `serviceaccounts "other" is forbidden: ${forbiddenMessage("create", "serviceaccounts/token", IN_DEFAULT)}: ${noRelationship}`
    assert.strictEqual(messageOf(ask(bound("p2"), "other")), message)
  })
  it("succeed for its own pod", () => {
    const answer = ask(bound("p1")) as KubeObject & { readonly status: { readonly token: string } }
    assert.strictEqual(answer.kind, "TokenRequest", JSON.stringify(answer))
    assert.strictEqual(answer.status.token.split(".").length, 3)
  })
})

describe("the authorization of identities", () => {
  const allowed: ReadonlyArray<readonly [string, ApiRequest]> = [
    ["its own Node", { verb: "get", kind: "Node", name: "n1" }],
    ["its own Node's status", merge("Node", "n1", { status: { capacity: { cpu: "4" } } }, status)],
    ["labels of its own", merge("Node", "n1", labels({ "topology.kubernetes.io/zone": "a", "example.com/x": "y" }))],
    ["its pods", { verb: "list", kind: "Pod", fieldSelector: "spec.nodeName=n1" }],
    ["its pod's status", merge("Pod", "p1", { status: { phase: "Running" } }, { ...inDefault, ...status })],
    ["its pod's secret", { verb: "get", kind: "Secret", name: "mine", ...inDefault }],
    [
      "its pod's secret, by a list of one",
      { verb: "list", kind: "Secret", fieldSelector: "metadata.name=mine", ...inDefault }
    ],
    ["its lease", merge("Lease", "n1", { spec: { leaseDurationSeconds: 41 } }, leases)],
    ["services", { verb: "list", kind: "Service" }],
    [
      "events",
      {
        verb: "create",
        kind: "Event",
        ...inDefault,
        object: {
          apiVersion: "v1",
          kind: "Event",
          metadata: { name: "e", namespace: "default" },
          involvedObject: { kind: "Pod", name: "p1", namespace: "default" }
        }
      }
    ]
  ]
  it.each(allowed)("a kubelet has %s", (_, request) => {
    const answer = makeServerWithTwoNodes().as(kubeletN1, request)
    assert.notStrictEqual(answer.kind, "Status", JSON.stringify(answer))
  })
  it("a kubelet loses its pod's secret with the pod", () => {
    const testServer = makeServerWithTwoNodes()
    const secret: ApiRequest = { verb: "get", kind: "Secret", name: "mine", ...inDefault }
    assert.strictEqual(testServer.as(kubeletN1, secret).kind, "Secret")
    testServer.as(kubeletN1, {
      verb: "delete",
      kind: "Pod",
      name: "p1",
      ...inDefault,
      options: { gracePeriodSeconds: 0 }
    })
    assert.match(messageOf(testServer.as(kubeletN1, secret)), /no relationship found/)
  })
  it("an anonymous user, and a stranger, have nothing", () => {
    const testServer = makeServerWithTwoNodes()
    assert.strictEqual(
      messageOf(testServer.as(anonymous, { verb: "list", kind: "Pod" })),
      `pods is forbidden: ${forbiddenMessage("list", "pods", AT_CLUSTER, "", "system:anonymous")}`
    )
    assert.strictEqual(
      messageOf(testServer.as(person("alice"), { verb: "get", kind: "Secret", name: "mine", ...inDefault })),
      `secrets "mine" is forbidden: ${forbiddenMessage("get", "secrets", IN_DEFAULT, "", "alice")}`
    )
  })
})
