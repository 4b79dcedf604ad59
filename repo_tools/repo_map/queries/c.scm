(function_declarator declarator: (identifier) @name) @function
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(type_definition declarator: (type_identifier) @name) @type
(pointer_declarator declarator: (type_identifier) @name) @type
(array_declarator declarator: (type_identifier) @name) @type
(function_declarator declarator: (type_identifier) @name) @type
(function_declarator declarator: (parenthesized_declarator (type_identifier) @name)) @type
(preproc_function_def name: (identifier) @name) @macro
(preproc_def name: (identifier) @name value: (_)) @macro
(translation_unit (declaration declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
  (init_declarator declarator: [
    (identifier) @name
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
    (array_declarator declarator: (identifier) @name)
  ])
]) @variable)
