import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { acceptsObjects, ignoreAlreadyExists, namespacesToSync } from "./everyNamespace.ts"

/** The name under which pods find the account of their namespace. */
const DEFAULT_ACCOUNT = "default"

/**
 * Creates the default service account in every namespace. Upstream:
 * pkg/controller/serviceaccount/serviceaccounts_controller.go.
 */
export const layerServiceAccounts = Controller.make({
  name: "serviceaccount-controller",
  queue: "serviceaccount",
  for: "Namespace",
  when: (_, { isDeleted }) => !isDeleted,
  watches: {
    // The account is only created again when it is deleted; other changes of it are its users' own.
    ServiceAccount: {
      concerns: (account, { isDeleted }) => (isDeleted ? namespacesToSync(account, DEFAULT_ACCOUNT) : [])
    }
  },
  reconcile:
    ({ cache, cluster }) =>
    (namespace) => {
      const found = cache("Namespace").get(namespace)
      if (found === undefined || !acceptsObjects(found)) return Effect.void
      if (cache("ServiceAccount").find(DEFAULT_ACCOUNT, namespace) !== undefined) return Effect.void
      const metadata = { name: DEFAULT_ACCOUNT, namespace }
      return ignoreAlreadyExists(
        cluster.create("ServiceAccount", { apiVersion: "v1", kind: "ServiceAccount", metadata })
      )
    }
})
