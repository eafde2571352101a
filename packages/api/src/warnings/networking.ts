import type { Ingress } from "../objects/Ingress.ts"
import type { NetworkPolicy } from "../objects/NetworkPolicy.ts"
import { ingressClassAnnotation } from "../validation/ingress.ts"
import { cidrWarnings, ipWarnings } from "../validation/ip.ts"
import { ipBlocksOf } from "../validation/networkPolicy.ts"

/** Upstream: pkg/registry/networking/{ingress,networkpolicy}/strategy.go. */

export const ingressWarnings = ({ metadata, spec }: Ingress, stored: Ingress | undefined): ReadonlyArray<string> =>
  stored === undefined &&
  metadata.annotations?.[ingressClassAnnotation] !== undefined &&
  spec?.ingressClassName === undefined
    ? [`annotation "${ingressClassAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
    : []

export const ingressStatusWarnings = ({ status }: Ingress): ReadonlyArray<string> =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = "" }, index) =>
    ip === "" ? [] : ipWarnings(ip, `status.loadBalancer.ingress[${index}]`)
  )

export const networkPolicyWarnings = ({ spec }: NetworkPolicy): ReadonlyArray<string> =>
  ipBlocksOf(spec ?? {}).flatMap(([{ cidr, except = [] }, at]) => [
    ...cidrWarnings(cidr, `${at}.cidr`),
    ...except.flatMap((text, index) => cidrWarnings(text, `${at}.except[${index}]`))
  ])
