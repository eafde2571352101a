import type { ApiServerShape } from "@rollcall/api-server"
import { type HandlerOptions, verifiedCertificate } from "@rollcall/api-server/http"

export const makeAccess = (
  _server: ApiServerShape
): Pick<HandlerOptions, "authenticator" | "authorizer" | "anonymous" | "certificateOf"> => ({
  authenticator: {
    authenticate: ({ certificate }) =>
      certificate === undefined ? undefined : { user: "admin", groups: ["system:masters", "system:authenticated"] }
  },
  authorizer: {
    authorize: ({ user }) => ({ decision: user.groups.includes("system:masters") ? "Allow" : "NoOpinion", reason: "" }),
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false })
  },
  anonymous: false,
  certificateOf: ({ request }) => verifiedCertificate(request)
})
