import { type Authorizer, Authorizers, type UserInfo } from "@rollcall/api-server"
import { defineLayers } from "@rollcall/worlds"

const verbs = ["get", "list", "watch"]

const teamsOf = ({ groups }: UserInfo): ReadonlyArray<string> =>
  groups.flatMap((group) => (group.startsWith("team:") ? [group.slice("team:".length)] : []))

/** Members of the group `team:shop` may read everything in the namespace `shop`. RBAC decides all other requests. */
const teams: Authorizer = {
  authorize: ({ isResource, namespace, user, verb }) =>
    isResource && verbs.includes(verb) && teamsOf(user).includes(namespace)
      ? { decision: "Allow", reason: `is of the team of ${namespace}` }
      : { decision: "NoOpinion", reason: "" },
  rulesFor: (user, namespace) => ({
    resourceRules: teamsOf(user).includes(namespace) ? [{ verbs, apiGroups: ["*"], resources: ["*"] }] : [],
    nonResourceRules: [],
    incomplete: false
  })
}

export default defineLayers(Authorizers.layer(teams))
