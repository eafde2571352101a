import type { Json } from "./OpenApiKind.ts"

const union = (discriminator: string, fields: Readonly<Record<string, string>>): ReadonlyArray<Json> => [
  { ...(discriminator === "" ? {} : { discriminator }), "fields-to-discriminateBy": fields }
]

const localhost = union("type", { localhostProfile: "LocalhostProfile" })

/** The messages of which only one field may be set, as their discriminator says. Upstream: the markers `+union`. */
export const unions: Readonly<Record<string, ReadonlyArray<Json>>> = {
  "io.k8s.api.core.v1.AppArmorProfile": localhost,
  "io.k8s.api.core.v1.PodSchedulingGroup": union("", { podGroupName: "PodGroupName" }),
  "io.k8s.api.core.v1.SeccompProfile": localhost,
  "io.k8s.api.flowcontrol.v1.LimitResponse": union("type", { queuing: "Queuing" }),
  "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec": union("type", { exempt: "Exempt", limited: "Limited" }),
  "io.k8s.api.flowcontrol.v1.Subject": union("kind", {
    group: "Group",
    serviceAccount: "ServiceAccount",
    user: "User"
  })
}
