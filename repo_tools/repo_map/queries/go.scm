(function_declaration name: (identifier) @name) @function
(method_declaration name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(method_elem name: (field_identifier) @name) @method
(source_file (const_declaration (const_spec (identifier) @name) @constant) (#not-eq? @name "_"))
(source_file (var_declaration [
  (var_spec name: (identifier) @name) @variable
  (var_spec_list (var_spec name: (identifier) @name) @variable)
]) (#not-eq? @name "_"))
