(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @enum
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(const_element (name) @name) @constant
(function_call_expression function: [(name) (qualified_name)] @of arguments: (arguments . (argument (_ (string_content) @name))) (#any-of? @of "define" "\\define")) @constant
