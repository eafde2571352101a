import * as fc from "fast-check"

// A failed property has killed the mutant: shrinking the example is useless.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
