(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(module (_ (assignment left: (identifier) @name) @constant))
(type_alias_statement left: (type [(identifier) @name (generic_type (identifier) @name)])) @type
(module [
  (if_statement (block (_ (assignment left: (identifier) @name) @constant)))
  (try_statement (block (_ (assignment left: (identifier) @name) @constant)))
])
