(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(union_item name: (type_identifier) @name) @struct
(trait_item name: (type_identifier) @name) @interface
(type_item name: (type_identifier) @name) @type
(mod_item name: (identifier) @name body: (_)) @module
(macro_definition name: (identifier) @name) @macro
(const_item name: (identifier) @name (#not-eq? @name "_")) @constant
(static_item name: (identifier) @name) @variable
(impl_item type: [
  (type_identifier) @name
  (scoped_type_identifier name: (_) @name)
  (_ type: [(type_identifier) @name (scoped_type_identifier name: (_) @name)])
]) @impl
