import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decodeObject, type KindName, kindOf, type ObjectOf } from "../../src/index.ts"
import { fieldErrorText } from "../../src/validation/index.ts"

/** As the server reads it: decoded and defaulted. */
const read = <K extends KindName>(kind: K, object: object): ObjectOf<K> => {
  const metadata = { name: "a", resourceVersion: "1", ...(kind === "IngressClass" ? {} : { namespace: "n" }) }
  return kindOf(kind).defaults(Effect.runSync(decodeObject(kind, { metadata, ...object })))
}

const createFaults = (kind: KindName, spec: object): ReadonlyArray<string> =>
  kindOf(kind).validation.create(read(kind, { spec })).map(fieldErrorText)

const updateFaults = (kind: KindName, spec: object, old: object): ReadonlyArray<string> =>
  kindOf(kind)
    .validation.update(read(kind, { spec }), read(kind, { spec: old }))
    .map(fieldErrorText)

const statusFaults = (kind: KindName, status: object): ReadonlyArray<string> | undefined =>
  kindOf(kind).validation.updateStatus?.(read(kind, { status }), read(kind, {})).map(fieldErrorText)

// The messages are those of kube-apiserver v1.36.2 for the same objects.

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

describe("ingress classes", () => {
  const controller = "a.io/b"

  it("name a controller by a path with a domain", () => {
    const fault = 'must be a domain-prefixed path (such as "acme.io/foo")'
    assert.deepStrictEqual(createFaults("IngressClass", { controller }), [])
    assert.deepStrictEqual(createFaults("IngressClass", {}), ["spec.controller: Required value"])
    assert.deepStrictEqual(createFaults("IngressClass", { controller: "x" }), [
      `spec.controller: Invalid value: "x": ${fault}`
    ])
    assert.deepStrictEqual(createFaults("IngressClass", { controller: "A.io/b" }), [
      `spec.controller: Invalid value: "A.io": ${subdomain}`
    ])
    assert.deepStrictEqual(createFaults("IngressClass", { controller: `a.io/${"b".repeat(260)}` }), [
      "spec.controller: Too long: may not be more than 250 bytes"
    ])
  })

  it("keep it", () => {
    assert.deepStrictEqual(updateFaults("IngressClass", { controller: "a.io/c" }, { controller }), [
      'spec.controller: Invalid value: "a.io/c": field is immutable'
    ])
  })

  it("have parameters of the cluster, unless they name a namespace", () => {
    const parameters = { kind: "K", name: "n" }
    const { spec } = read("IngressClass", { spec: { controller, parameters } })
    assert.deepStrictEqual(spec?.parameters, { ...parameters, scope: "Cluster" })
    const faults = (more: object) =>
      createFaults("IngressClass", { controller, parameters: { ...parameters, ...more } })
    assert.deepStrictEqual(faults({ scope: "Namespace", namespace: "ns", apiGroup: "e.io" }), [])
    assert.deepStrictEqual(faults({ scope: "Namespace" }), [
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"
    ])
    assert.deepStrictEqual(faults({ namespace: "ns" }), [
      "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"
    ])
    assert.deepStrictEqual(faults({ kind: "K/", name: "..", scope: "X" }), [
      "spec.parameters.kind: Invalid value: \"K/\": may not contain '/'",
      "spec.parameters.name: Invalid value: \"..\": may not be '..'",
      'spec.parameters.scope: Unsupported value: "X": supported values: "Cluster", "Namespace"'
    ])
  })
})

const backend = { service: { name: "svc", port: { number: 80 } } }

describe("ingresses", () => {
  const withPath = (path: string, pathType?: string) => ({
    rules: [{ http: { paths: [{ path, backend, ...(pathType === undefined ? {} : { pathType }) }] } }]
  })

  it("have a rule or a default backend, which is one thing with one port", () => {
    assert.deepStrictEqual(createFaults("Ingress", { defaultBackend: backend }), [])
    assert.deepStrictEqual(createFaults("Ingress", {}), [
      "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"
    ])
    const faults = (defaultBackend: object) => createFaults("Ingress", { defaultBackend })
    assert.deepStrictEqual(faults({}), [
      'spec.defaultBackend: Invalid value: "": resource or service backend is required'
    ])
    assert.deepStrictEqual(faults({ service: { name: "", port: {} } }), [
      "spec.defaultBackend.service.name: Required value",
      "spec.defaultBackend: Required value: port name or number is required"
    ])
    assert.deepStrictEqual(faults({ service: { name: "a", port: { name: "b", number: 70000 } } }), [
      'spec.defaultBackend: Invalid value: "": cannot set both port name & port number'
    ])
    assert.deepStrictEqual(faults({ ...backend, resource: { kind: "K", name: "n" } }), [
      'spec.defaultBackend: Invalid value: "": cannot set both resource and service backends'
    ])
  })

  it("have paths of a type", () => {
    const at = "spec.rules[0].http.paths[0]"
    assert.deepStrictEqual(createFaults("Ingress", withPath("/", "Prefix")), [])
    assert.deepStrictEqual(createFaults("Ingress", withPath("", "ImplementationSpecific")), [])
    assert.deepStrictEqual(createFaults("Ingress", withPath("/")), [
      `${at}.pathType: Required value: pathType must be specified`
    ])
    assert.deepStrictEqual(createFaults("Ingress", withPath("/a//b/..", "Exact")), [
      `${at}.path: Invalid value: "/a//b/..": must not contain '//'`,
      `${at}.path: Invalid value: "/a//b/..": cannot end with '/..'`
    ])
    assert.deepStrictEqual(createFaults("Ingress", { rules: [{ http: {} }] }), [
      "spec.rules[0].http.paths: Required value"
    ])
  })

  it("have hosts that are domain names", () => {
    const faults = (host: string) => createFaults("Ingress", { rules: [{ host }] })
    assert.deepStrictEqual(faults("*.a.b"), [])
    assert.deepStrictEqual(faults("1.2.3.4"), [
      'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'
    ])
    assert.match(faults("a.*.b")[0] ?? "", /^spec\.rules\[0\]\.host: Invalid value: "a\.\*\.b": a wildcard DNS-1123/)
  })

  it("have a status with addresses or host names", () => {
    assert.deepStrictEqual(
      statusFaults("Ingress", { loadBalancer: { ingress: [{ ip: "x" }, { hostname: "1.1.1.1" }] } }),
      [
        'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'status.loadBalancer.ingress[1].hostname: Invalid value: "1.1.1.1": must be a DNS name, not an IP address'
      ]
    )
  })

  it("are warned of the old annotation", () => {
    const metadata = { name: "a", namespace: "n", annotations: { "kubernetes.io/ingress.class": "x" } }
    const ingress = read("Ingress", { metadata, spec: { defaultBackend: backend } })
    assert.deepStrictEqual(kindOf("Ingress").warnings?.(ingress, undefined), [
      `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`
    ])
  })
})

describe("network policies", () => {
  it("default to the directions that they restrict, and ports to TCP", () => {
    const typesOf = (spec: object) => read("NetworkPolicy", { spec }).spec?.policyTypes
    assert.deepStrictEqual(typesOf({}), ["Ingress"])
    assert.deepStrictEqual(typesOf({ egress: [{}] }), ["Ingress", "Egress"])
    assert.deepStrictEqual(read("NetworkPolicy", { spec: { ingress: [{ ports: [{ port: 1 }] }] } }).spec?.ingress, [
      { ports: [{ port: 1, protocol: "TCP" }] }
    ])
  })

  it("check ports and their ranges", () => {
    const faults = (port: object) => createFaults("NetworkPolicy", { ingress: [{ ports: [port] }] })
    const at = "spec.ingress[0].ports[0]"
    assert.deepStrictEqual(faults({ port: 5, endPort: 6 }), [])
    assert.deepStrictEqual(faults({ port: 5, endPort: 3 }), [
      `${at}.endPort: Invalid value: 5: must be greater than or equal to \`port\``
    ])
    assert.deepStrictEqual(faults({ port: "a", endPort: 3 }), [
      `${at}.endPort: Invalid value: 3: may not be specified when \`port\` is non-numeric`
    ])
    assert.deepStrictEqual(faults({ protocol: "X", port: 0 }), [
      `${at}.protocol: Unsupported value: "X": supported values: "TCP", "UDP", "SCTP"`,
      `${at}.port: Invalid value: 0: must be between 1 and 65535, inclusive`
    ])
  })

  it("check peers, and that exceptions are parts of their block", () => {
    const faults = (peer: object) => createFaults("NetworkPolicy", { egress: [{ to: [peer] }] })
    const at = "spec.egress[0].to[0]"
    assert.deepStrictEqual(faults({ ipBlock: { cidr: "1.2.3.0/24", except: ["1.2.3.0/25"] } }), [])
    assert.deepStrictEqual(faults({}), [`${at}: Required value: must specify a peer`])
    assert.deepStrictEqual(faults({ podSelector: {}, ipBlock: { cidr: "1.2.3.0/24" } }), [
      `${at}: Forbidden: may not specify both ipBlock and another peer`
    ])
    const except = ["1.2.3.0/24", "1.2.4.0/25", "::/128"]
    assert.deepStrictEqual(
      faults({ ipBlock: { cidr: "1.2.3.0/24", except } }),
      except.map(
        (text, index) => `${at}.ipBlock.except[${index}]: Invalid value: "${text}": must be a strict subset of \`cidr\``
      )
    )
  })

  it("keep an invalid block, of which they warn", () => {
    const spec = { egress: [{ to: [{ ipBlock: { cidr: "1.2.3.4/24" } }] }] }
    assert.strictEqual(createFaults("NetworkPolicy", spec).length, 1)
    assert.deepStrictEqual(updateFaults("NetworkPolicy", spec, spec), [])
    assert.deepStrictEqual(kindOf("NetworkPolicy").warnings?.(read("NetworkPolicy", { spec }), undefined), [
      'spec.egress[0].to[0].ipBlock.cidr: CIDR value "1.2.3.4/24" is ambiguous in this context (should be "1.2.3.0/24" or "1.2.3.4/32"?)'
    ])
  })
})

describe("endpoints", () => {
  it("are refused for what is in their subsets only if these change", () => {
    const subsets = (nodeName?: string) => ({
      subsets: [
        {
          addresses: [
            { ip: "192.0.2.1", nodeName },
            { ip: "192.0.2.2", nodeName: "A" }
          ]
        }
      ]
    })
    const { update } = kindOf("Endpoints").validation
    const faults = (next: object, old: object) =>
      update(read("Endpoints", next), read("Endpoints", old)).map(({ field }) => field)
    assert.deepStrictEqual(faults(subsets(), subsets()), [])
    // An empty text where Go has a pointer is no absent one.
    assert.deepStrictEqual(faults(subsets(""), subsets()), [
      "subsets[0].addresses[0].nodeName",
      "subsets[0].addresses[1].nodeName"
    ])
  })
})

describe("endpoint slices", () => {
  const faults = (object: object) => {
    const old = { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }], ports: [] }
    const { update } = kindOf("EndpointSlice").validation
    return update(read("EndpointSlice", { ...old, ...object }), read("EndpointSlice", old)).map(({ field }) => field)
  }

  it("are refused for what is in their endpoints only if these change", () => {
    const endpoint = { addresses: ["192.0.2.1"], conditions: {} }
    assert.deepStrictEqual(faults({ addressType: "IPv6", endpoints: [endpoint] }), ["addressType"])
    // An empty struct where Go has a pointer is no absent one.
    const hinted = [{ ...endpoint, hints: {} }]
    assert.deepStrictEqual(faults({ addressType: "IPv6", endpoints: hinted }), [
      "endpoints[0].addresses",
      "addressType"
    ])
  })
})
