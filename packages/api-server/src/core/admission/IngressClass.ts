import type { Ingress, IngressClass } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionPlugin } from "./Admission.ts"

const annotationDefaultClass = "ingressclass.kubernetes.io/is-default-class"
/** The annotation that named the class before the field did. */
const annotationClass = "kubernetes.io/ingress.class"

const precedes = ({ metadata: a }: IngressClass, { metadata: b }: IngressClass): boolean => {
  const [newer, older] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""]
  return newer === older ? (a.name ?? "") < (b.name ?? "") : newer > older
}

/**
 * Sets the class of new Ingresses that name none to the default class, if there is one: the newest, and among equally
 * new ones the first by name. Upstream: plugin/pkg/admission/network/defaultingressclass.
 */
export const defaultIngressClassAdmission: AdmissionPlugin = {
  name: "DefaultIngressClass",
  admits: (kind, verb, subresource) => kind === "Ingress" && verb === "create" && subresource === undefined,
  mutate: ({ object }, { reader }) => {
    const ingress = object as Ingress
    if (ingress.spec?.ingressClassName !== undefined) return Result.succeed(ingress)
    if (ingress.metadata.annotations?.[annotationClass] !== undefined) return Result.succeed(ingress)
    let found: IngressClass | undefined
    for (const candidate of reader.list("IngressClass")) {
      if (candidate.metadata.annotations?.[annotationDefaultClass] !== "true") continue
      if (found === undefined || precedes(candidate, found)) found = candidate
    }
    if (found === undefined) return Result.succeed(ingress)
    return Result.succeed({ ...ingress, spec: { ...ingress.spec, ingressClassName: found.metadata.name ?? "" } })
  }
}
