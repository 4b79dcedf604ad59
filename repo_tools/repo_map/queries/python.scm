(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(module (expression_statement (assignment left: (identifier) @name) @constant))
(type_alias_statement left: (type [(identifier) @name (generic_type (identifier) @name)])) @type
(module [
  (if_statement (block (expression_statement (assignment left: (identifier) @name) @constant)))
  (try_statement (block (expression_statement (assignment left: (identifier) @name) @constant)))
])
