import { forbidden, type Pod } from "@rollcall/api"
import { type AdmissionPlugin, AdmissionPlugins } from "@rollcall/api-server"
import { defineLayers } from "@rollcall/worlds"
import { Result } from "effect"

/** Pods get a label that says who created them; images without a tag are refused. */
const houseRules: AdmissionPlugin = {
  name: "HouseRules",
  admits: (kind, verb, subresource) => kind === "Pod" && verb === "create" && subresource === undefined,
  mutate: ({ object, userInfo }) => {
    if (object === undefined) return Result.succeed(object)
    const { metadata } = object
    const creator = userInfo.user.split(":").at(-1) ?? ""
    return Result.succeed({ ...object, metadata: { ...metadata, labels: { ...metadata.labels, creator } } })
  },
  validate: ({ name, object }) => {
    const untagged = (object as Pod).spec.containers.find(({ image = "" }) => !image.includes(":"))
    return untagged && forbidden({ group: "", resource: "pods" }, name, `image ${untagged.image} has no tag`)
  }
}

export default defineLayers(AdmissionPlugins.layer(houseRules))
