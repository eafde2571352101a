import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec
} from "../objects/NetworkPolicy.ts"
import type { ErrorList } from "./ErrorList.ts"
import { type CIDR, familyOf, parseCIDR, validateCIDR } from "./ip.ts"
import { validateLabelSelector } from "./labels.ts"
import { makeRules } from "./makeRules.ts"
import { isValidPortName, isValidPortNumber } from "./names.ts"

/** Upstream: pkg/apis/networking/validation/validation.go. */

const protocols = ["TCP", "UDP", "SCTP"]

const checkPort = (errors: ErrorList, { endPort, port, protocol }: NetworkPolicyPort, at: string): void => {
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.notSupported(`${at}.protocol`, protocol, protocols)
  }
  const checkEnd = (when: string): void => {
    if (endPort !== undefined) errors.invalid(`${at}.endPort`, endPort, `may not be specified when \`port\` is ${when}`)
  }
  if (port === undefined) checkEnd("not specified")
  else if (typeof port === "string") {
    checkEnd("non-numeric")
    errors.invalidEach(`${at}.port`, port, isValidPortName(port))
  } else {
    errors.invalidEach(`${at}.port`, port, isValidPortNumber(port))
    if (endPort === undefined) return
    if (endPort < port) errors.invalid(`${at}.endPort`, port, "must be greater than or equal to `port`")
    errors.invalidEach(`${at}.endPort`, endPort, isValidPortNumber(endPort))
  }
}

const sizeOf = ({ address }: CIDR): number => (address.family === 4 ? 32 : 128)

const isStrictSubset = (inner: CIDR, outer: CIDR): boolean => {
  const shift = BigInt(sizeOf(outer) - outer.length)
  return (
    familyOf(inner.address) === familyOf(outer.address) &&
    outer.length < inner.length &&
    inner.address.bits >> shift === outer.address.bits >> shift
  )
}

type IPBlock = NonNullable<NetworkPolicyPeer["ipBlock"]>

const checkBlock = (errors: ErrorList, { cidr, except = [] }: IPBlock, at: string, stored: ReadonlySet<string>) => {
  if (cidr === "") return errors.required(`${at}.cidr`)
  validateCIDR(errors, cidr, `${at}.cidr`, stored)
  const outer = parseCIDR(cidr)
  if (outer === undefined) return
  except.forEach((text, index) => {
    const path = `${at}.except[${index}]`
    validateCIDR(errors, text, path, stored)
    const inner = parseCIDR(text)
    if (inner !== undefined && !isStrictSubset(inner, outer)) {
      errors.invalid(path, text, "must be a strict subset of `cidr`")
    }
  })
}

const checkPeer = (errors: ErrorList, peer: NetworkPolicyPeer, at: string, stored: ReadonlySet<string>): void => {
  const { ipBlock, namespaceSelector, podSelector } = peer
  validateLabelSelector(errors, podSelector, `${at}.podSelector`)
  validateLabelSelector(errors, namespaceSelector, `${at}.namespaceSelector`)
  if (ipBlock !== undefined) checkBlock(errors, ipBlock, `${at}.ipBlock`, stored)
  const selects = podSelector !== undefined || namespaceSelector !== undefined
  if (!selects && ipBlock === undefined) errors.required(at, "must specify a peer")
  else if (selects && ipBlock !== undefined) errors.forbidden(at, "may not specify both ipBlock and another peer")
}

/** The rules of both directions, in the order of the checks. */
const rulesOf = ({ egress = [], ingress = [] }: NetworkPolicySpec) => [
  ...ingress.map(({ from, ports }, index) => ({ at: `spec.ingress[${index}]`, ports, list: "from", peers: from })),
  ...egress.map(({ ports, to }, index) => ({ at: `spec.egress[${index}]`, ports, list: "to", peers: to }))
]

/** Returns the address blocks of a policy with their paths. */
export const ipBlocksOf = (spec: NetworkPolicySpec): ReadonlyArray<readonly [block: IPBlock, at: string]> =>
  rulesOf(spec).flatMap(({ at, list, peers = [] }) =>
    peers.flatMap(({ ipBlock }, index) =>
      ipBlock === undefined ? [] : [[ipBlock, `${at}.${list}[${index}].ipBlock`] as const]
    )
  )

const policyTypes = ["Ingress", "Egress"]

export const networkPolicyRules = makeRules<NetworkPolicy>("Namespaced", {
  onUpdate: "change",
  check: (errors, { spec = {} }, old) => {
    const stored = new Set(ipBlocksOf(old?.spec ?? {}).flatMap(([{ cidr, except = [] }]) => [cidr, ...except]))
    validateLabelSelector(errors, spec.podSelector, "spec.podSelector")
    for (const { at, list, peers = [], ports = [] } of rulesOf(spec)) {
      ports.forEach((port, index) => void checkPort(errors, port, `${at}.ports[${index}]`))
      peers.forEach((peer, index) => void checkPeer(errors, peer, `${at}.${list}[${index}]`, stored))
    }
    const types = spec.policyTypes ?? []
    if (types.length > policyTypes.length) {
      return errors.invalid("spec.policyTypes", types, "may not specify more than two policyTypes")
    }
    types.forEach((type, index) => {
      if (!policyTypes.includes(type)) errors.notSupported(`spec.policyTypes[${index}]`, type, policyTypes)
    })
  }
})
